import { MODEL_HZ } from "../../audio/format.ts";
import { brokenModel, oneLine, openOnnxSession, type OnnxSession } from "../onnx-session.ts";
import { Tensor } from "../onnxruntime.ts";

const WHAT = "sound network";
/** The clips of the training end in silence. */
const SILENCE_SAMPLES = 0.5 * MODEL_HZ;

/** Hears the sounds of clips. Its ONNX file lies beside a Whisper model (`scripts/train/stt/sound_network.py`). */
export class SoundNetwork {
  readonly #session: OnnxSession;

  private constructor(session: OnnxSession) {
    this.#session = session;
  }

  /**
   * `sounds`: how many it must know.
   * @throws OakError `MODEL_MISSING` or `MODEL_BROKEN`.
   */
  static async open(path: string, sounds: number): Promise<SoundNetwork> {
    const session = await openOnnxSession(path, WHAT);
    const network = new SoundNetwork(session);
    try {
      const known = (network.#run(new Float32Array(MODEL_HZ)).dims[2] ?? 0) - 1;
      if (known !== sounds) throw new Error(`it knows ${known} sounds instead of ${sounds}`);
      return network;
    } catch (cause) {
      session.release();
      throw brokenModel(path, WHAT, oneLine(cause), cause);
    }
  }

  /**
   * Blocks for some milliseconds a second of audio. `samples`: mono, 16 kHz.
   * @returns Probabilities: positions of 30 ms x (1 + sounds). The first one is for silence between sounds.
   */
  hear(samples: Float32Array): Float32Array {
    const audio = new Float32Array(samples.length + SILENCE_SAMPLES);
    audio.set(samples);
    return this.#run(audio).data as Float32Array;
  }

  #run(audio: Float32Array): Tensor {
    const { sounds } = this.#session.run({ audio: new Tensor("float32", audio, [1, audio.length]) });
    if (sounds === undefined) throw new Error("it lacks the output 'sounds'");
    return sounds;
  }
}
