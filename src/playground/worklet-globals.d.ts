/** What an audio worklet's own global scope has; the DOM's types leave it out. */
declare abstract class AudioWorkletProcessor {
  readonly port: MessagePort;
  abstract process(inputs: Float32Array[][], outputs: Float32Array[][]): boolean;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;
/** Of the context, Hz. */
declare const sampleRate: number;
