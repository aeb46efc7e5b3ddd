import { join } from "node:path";

export const keyFilePath = (dataDir: string): string => join(dataDir, "api-keys.json");
