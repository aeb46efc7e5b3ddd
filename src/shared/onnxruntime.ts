/**
 * The only way to onnxruntime in this program. Since 1.29 its builds report to their maker from the first session on;
 * the library looks at this variable once, when it is loaded, and the child processes inherit it.
 */
import "./no-telemetry.ts";

// oxlint-disable-next-line no-restricted-imports
export { InferenceSession, Tensor } from "onnxruntime-node";
