/**
 * The only import of onnxruntime in this program. Since 1.29 its builds report to Microsoft from the first session on, unless
 * this variable is set. The library reads it once, when it is loaded. Child processes inherit it.
 */
import "./no-telemetry.ts";

// oxlint-disable-next-line no-restricted-imports
export { Tensor } from "onnxruntime-node";
/**
 * The package's native part. Its JavaScript layer (promises, checks, a timer) costs a quarter of a small model's time and makes
 * most of its garbage (docs/decisions/0060-allocations-on-the-audio-path.md).
 */
// oxlint-disable-next-line no-restricted-imports
export { binding, initOrt, type Binding } from "onnxruntime-node/dist/binding.js";
