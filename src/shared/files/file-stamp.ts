import type { BigIntStats } from "node:fs";

/**
 * Changes when the file does. An editor's rename changes the inode, a write in place the time or the size, a new owner or mode
 * the ctime.
 */
export const fileStamp = ({ ino, mtimeNs, ctimeNs, size }: BigIntStats): string =>
  [ino, mtimeNs, ctimeNs, size].join(" ");
