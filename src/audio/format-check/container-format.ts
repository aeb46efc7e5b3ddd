/** Names the file or stream format at the start of `bytes`. Each test covers at least 4 bytes, so raw PCM does not match by chance. */
export function containerFormat(bytes: Uint8Array): string | undefined {
  const startsWith = (text: string, at = 0) =>
    bytes.length >= at + text.length && Array.from(text).every((letter, i) => bytes[at + i] === letter.charCodeAt(0));
  if (startsWith("RIFF") && startsWith("WAVE", 8)) return wavFormat(bytes);
  if (startsWith("\x1a\x45\xdf\xa3")) return "a WebM or Matroska stream";
  if (startsWith("OggS\0")) return startsWith("OpusHead", 28) ? "an Ogg Opus stream" : "an Ogg stream";
  if (startsWith("ftyp", 4)) return "an MP4 stream";
  if (startsWith("ID3") && bytes[3]! >= 2 && bytes[3]! <= 4) return "an MP3 stream";
  if (startsWith("fLaC")) return "a FLAC stream";
  if (startsWith("FORM") && startsWith("AIF", 8)) return "an AIFF file";
  if (startsWith("caff\0")) return "a CAF file";
  if (startsWith(".snd\0\0")) return "an AU file";
  if (startsWith("#!AMR")) return "an AMR stream";
  if (hasFrames(bytes, mp3FrameBytes)) return "an MP3 stream";
  if (hasFrames(bytes, adtsFrameBytes)) return "an AAC stream";
  if (/^\s*\{\s*"[\t\n\r -~]{12}/u.test(String.fromCharCode(...bytes.subarray(0, 32))))
    return "JSON text in a binary frame";
  return undefined;
}

/** True for a WAV header of 16-bit mono PCM at 24 kHz. */
export function isRightWav(bytes: Uint8Array): boolean {
  return containerFormat(bytes) === RIGHT_WAV;
}

const RIGHT_WAV = "a WAV file (PCM, 16 bits, 1 channel, 24000 Hz)";
const WAV_CODES: Readonly<Record<number, string>> = { 1: "PCM", 3: "float", 6: "A-law", 7: "mu-law", 0xfffe: "PCM" };

function wavFormat(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 12; at + 24 <= bytes.length; at += 8 + view.getUint32(at + 4, true)) {
    if (view.getUint32(at) !== 0x666d7420) continue;
    const code = view.getUint16(at + 8, true);
    const channels = view.getUint16(at + 10, true);
    const bits = view.getUint16(at + 22, true);
    const channelWord = channels === 1 ? "channel" : "channels";
    return `a WAV file (${WAV_CODES[code] ?? `format ${code}`}, ${bits} bits, ${channels} ${channelWord}, ${view.getUint32(at + 12, true)} Hz)`;
  }
  return "a WAV file";
}

/** Requires three frames in a row, each as long as its header says. */
function hasFrames(bytes: Uint8Array, frameBytes: (bytes: Uint8Array, at: number) => number): boolean {
  let at = 0;
  for (let frame = 0; frame < 3; frame++) {
    const length = at + 6 <= bytes.length ? frameBytes(bytes, at) : 0;
    if (length === 0) return false;
    at += length;
  }
  return true;
}

const MP3_KBITS = {
  1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0],
  2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0],
};
const MP3_HZ = [44_100, 48_000, 32_000, 0];

/** Length of a layer III frame of MPEG 1, 2 or 2.5; 0 without such a header. */
function mp3FrameBytes(bytes: Uint8Array, at: number): number {
  const version = (bytes[at + 1]! >> 3) & 3;
  if (bytes[at] !== 0xff || (bytes[at + 1]! & 0xe6) !== 0xe2 || version === 1) return 0;
  const kbits = MP3_KBITS[version === 3 ? 1 : 2][bytes[at + 2]! >> 4]!;
  const hz = MP3_HZ[(bytes[at + 2]! >> 2) & 3]! / (version === 3 ? 1 : version === 2 ? 2 : 4);
  if (kbits === 0 || hz === 0) return 0;
  return Math.floor(((version === 3 ? 144 : 72) * 1000 * kbits) / hz) + ((bytes[at + 2]! >> 1) & 1);
}

function adtsFrameBytes(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== 0xff || (bytes[at + 1]! & 0xf6) !== 0xf0) return 0;
  const length = ((bytes[at + 3]! & 3) << 11) | (bytes[at + 4]! << 3) | (bytes[at + 5]! >> 5);
  return length < 8 ? 0 : length;
}
