/**
 * Ends the program if Node is too old. This file has no imports and only old syntax, because old versions must be able to
 * run it.
 */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`oakvoice: Node ${process.versions.node} is too old: install Node 20.19 or newer.\n`);
  process.exit(1);
}
