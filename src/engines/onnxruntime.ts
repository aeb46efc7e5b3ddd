/**
 * The only way to onnxruntime in this program. Since 1.29 its builds report to their maker from the first session on;
 * the library looks at this variable once, when it is loaded, and the child processes inherit it.
 */
import "./no-telemetry.ts";

// oxlint-disable-next-line no-restricted-imports
export { Tensor } from "onnxruntime-node";
/**
 * The package's native part: its JavaScript around a call (promises, checks, a timer) costs a quarter of a small model's
 * time and most of its garbage (docs/decisions/0060-garbage-of-the-audio-path.md).
 */
// oxlint-disable-next-line no-restricted-imports
export { binding, initOrt, type Binding } from "onnxruntime-node/dist/binding.js";
