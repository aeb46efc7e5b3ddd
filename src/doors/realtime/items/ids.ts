import { randomBytes } from "node:crypto";

/** A new id, such as `item_4c1f...`: 20 random hexadecimal digits. */
export const newId = (kind: "sess" | "conv" | "event" | "item" | "resp"): string =>
  `${kind}_${randomBytes(10).toString("hex")}`;
