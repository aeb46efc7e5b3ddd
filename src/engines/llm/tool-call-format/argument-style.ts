/** How a model writes the values of a call's arguments. */
export interface ArgumentStyle {
  /** A value that the schema fixes. */
  literal(value: unknown): string;
  readonly string: StringStyle;
  readonly boolean: readonly [no: string, yes: string];
  readonly null: string;
  /** Stands between items and between pairs. */
  readonly separator: string;
  /** A key of an object with what stands between it and its value. */
  key(name: string): string;
  /** Names that a key inside a value can hold; undefined: any. */
  readonly names?: RegExp;
}

/** Grammar of a string: its delimiters and one of its characters. */
interface StringStyle {
  readonly open: string;
  readonly character: string;
  readonly close: string;
}

/** Any character except quotation marks, backslashes and control characters, or an escape. */
const ESCAPED = String.raw`([^"\\\x00-\x1F\x7F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4}))`;

/** JSON with the spaces that Python writes, as models see it in training. */
export const jsonStyle: ArgumentStyle = {
  literal: (value) => spaced(value, jsonStyle),
  string: { open: '"', character: ESCAPED, close: '"' },
  boolean: ["false", "true"],
  null: "null",
  separator: ", ",
  key: (name) => `${JSON.stringify(name)}: `,
};

/** Literals of Python. */
export const pythonStyle: ArgumentStyle = {
  ...jsonStyle,
  literal: (value) => spaced(value, pythonStyle),
  boolean: ["False", "True"],
  null: "None",
};

/** Gemma 4 has a token for quotation marks, and keys without any. */
export const GEMMA_QUOTE = '<|"|>';
export const gemmaStyle: ArgumentStyle = {
  literal: (value) => spaced(value, gemmaStyle),
  string: { open: GEMMA_QUOTE, character: String.raw`[^<\x00-\x09\x0B-\x1F\x7F]`, close: GEMMA_QUOTE },
  boolean: ["false", "true"],
  null: "null",
  separator: ",",
  key: (name) => `${name}:`,
  // Another name could be read as the end of its key and the beginning of a value.
  names: /^[^\s{}[\]:,"<]+$/u,
};

function spaced(value: unknown, style: ArgumentStyle): string {
  if (value === null || value === undefined) return style.null;
  if (typeof value === "boolean") return style.boolean[Number(value)] ?? "";
  if (typeof value === "string") return `${style.string.open}${escaped(value, style)}${style.string.close}`;
  if (Array.isArray(value)) return `[${value.map((item) => style.literal(item)).join(style.separator)}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const pairs = Object.entries(value).map(([name, item]) => style.key(name) + style.literal(item));
  return `{${pairs.join(style.separator)}}`;
}

const escaped = (value: string, { string }: ArgumentStyle): string =>
  string.open === '"' ? JSON.stringify(value).slice(1, -1) : value.replaceAll(GEMMA_QUOTE, '"');
