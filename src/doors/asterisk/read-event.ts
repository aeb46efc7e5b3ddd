import { z } from "zod";

export interface AsteriskEvent {
  readonly name: string;
  readonly fields: Readonly<Record<string, string>>;
  /** Channel variables of MEDIA_START. Only JSON has them. */
  readonly variables: Readonly<Record<string, string>>;
  /** Commands must have the form of the events. */
  readonly isJson: boolean;
}

/** A longer message is not one of Asterisk, which limits channel variables. */
const MOST_CHARACTERS = 65_536;

const scalar = z.union([z.string(), z.number().transform(String), z.boolean().transform(String)]);
const jsonEvent = z
  .object({ event: z.string(), channel_variables: z.record(z.string(), z.unknown()).optional() })
  .catchall(z.unknown());

/** `NAME key:value ...` or a JSON object. Undefined for anything else. */
export function readEvent(text: string): AsteriskEvent | undefined {
  if (text.length > MOST_CHARACTERS) return undefined;
  return text.startsWith("{") ? readJson(text) : readPlain(text);
}

function readJson(text: string): AsteriskEvent | undefined {
  try {
    const parsed = jsonEvent.safeParse(JSON.parse(text));
    if (!parsed.success) return undefined;
    const { event: name, channel_variables: variables = {}, ...fields } = parsed.data;
    return { name, fields: scalars(fields), variables: scalars(variables), isJson: true };
  } catch {
    return undefined;
  }
}

const scalars = (values: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const parsed = scalar.safeParse(value);
      return parsed.success ? [[name, parsed.data]] : [];
    }),
  );

function readPlain(text: string): AsteriskEvent | undefined {
  const [name = "", ...words] = text.trim().split(" ");
  if (!/^[A-Z_]+$/u.test(name)) return undefined;
  // A mark's name stands alone after the event.
  if (name === "MEDIA_MARK_PROCESSED") return plain(name, { correlation_id: words.join(" ") });
  const fields: Record<string, string> = {};
  let last: string | undefined;
  for (const word of words) {
    const [, key, value] = /^([a-z_]+):(.*)$/u.exec(word) ?? [];
    if (key !== undefined && last !== "error_text") fields[(last = key)] = value ?? "";
    // A value may have spaces, as the text of an error has.
    else if (last !== undefined) fields[last] += ` ${word}`;
  }
  return plain(name, fields);
}

const plain = (name: string, fields: Readonly<Record<string, string>>): AsteriskEvent => ({
  name,
  fields,
  variables: {},
  isJson: false,
});
