import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A data directory with this file holds models that say one fixed sentence. */
const MARK = "rehearsal.txt";

const TEXT = `rehearsal: the models of this folder have the size and the cost of published models. They understand nothing and
always say the same sentence. They are here to be timed (oakvoice rehearse).
`;

export const isRehearsal = (dataDir: string): boolean => existsSync(join(dataDir, MARK));

export const markRehearsal = (dataDir: string): void => writeFileSync(join(dataDir, MARK), TEXT);
