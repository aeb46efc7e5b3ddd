/** Globals of an audio worklet that the DOM's types lack. */
declare abstract class AudioWorkletProcessor {
  readonly port: MessagePort;
  abstract process(inputs: Float32Array[][], outputs: Float32Array[][]): boolean;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;
/** Sample rate of the context, Hz. */
declare const sampleRate: number;
