/** Fields of the server's objects that clients send back, and `strict`: arguments are always checked. */
const WITHOUT_EFFECT = [
  /^session\.(?:id|object|expires_at)$/u,
  /(?:^item|\.input\.\d+)\.(?:object|status)$/u,
  /\.content\.\d+\.(?:audio|detail|text|transcript)$/u,
  /(?:^|\.)tools\.\d+\.strict$/u,
];

/** Fields of the protocol's beta, by the present ones. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ["session.modalities", "session.output_modalities"],
  ["session.voice", "session.audio.output.voice"],
  ["session.speed", "session.audio.output.speed"],
  ["session.input_audio_format", "session.audio.input.format"],
  ["session.output_audio_format", "session.audio.output.format"],
  ["session.input_audio_transcription", "session.audio.input.transcription"],
  ["session.input_audio_noise_reduction", "session.audio.input.noise_reduction"],
  ["session.turn_detection", "session.audio.input.turn_detection"],
  ["session.max_response_output_tokens", "session.max_output_tokens"],
  ["response.modalities", "response.output_modalities"],
  ["response.voice", "response.audio.output.voice"],
  ["response.output_audio_format", "response.audio.output.format"],
  ["response.max_response_output_tokens", "response.max_output_tokens"],
]);

const MOST_NAMED = 8;
const MAX_NAME_CHARS = 100;

/** Dotted paths of the fields that a schema has dropped from a value. */
export function unknownFields(value: unknown, parsed: unknown, path = ""): readonly string[] {
  if (!isObject(value) || !isObject(parsed)) return [];
  return Object.entries(value).flatMap(([name, part]) => {
    const inner = path === "" ? name : `${path}.${name}`;
    if (Object.hasOwn(parsed, name)) return unknownFields(part, parsed[name], inner);
    return Array.isArray(value) || WITHOUT_EFFECT.some((known) => known.test(inner)) ? [] : [inner];
  });
}

/** A list of them, with the present names of those of the beta. */
export function listUnknown(fields: readonly string[]): string {
  const named = fields.slice(0, MOST_NAMED).map((field) => {
    const now = RENAMED.get(field);
    return field.slice(0, MAX_NAME_CHARS) + (now === undefined ? "" : ` (now ${now})`);
  });
  const more = fields.length > MOST_NAMED ? `, and ${String(fields.length - MOST_NAMED)} more` : "";
  return `${named.join(", ")}${more}`;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;
