/** The package has no types of its own. Addresses are byte offsets into the module's memory; 0: none is left. */
declare module "@echogarden/rnnoise-wasm" {
  export interface RnnoiseModule {
    readonly HEAPF32: Float32Array;
    _malloc(bytes: number): number;
    _free(address: number): void;
    _rnnoise_create(model: 0): number;
    _rnnoise_destroy(state: number): void;
    _rnnoise_process_frame(state: number, output: number, input: number): number;
  }
  export default function create(): Promise<RnnoiseModule>;
}
