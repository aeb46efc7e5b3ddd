import { afterAll } from "vitest";
import { removeTemporaryFolders } from "./temporary-folder.ts";

// For a project whose files run in one process: it imports a module once, so the hooks of a module serve the first file only.
afterAll(removeTemporaryFolders);
