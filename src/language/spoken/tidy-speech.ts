/** One pass may uncover work for another: a dropped sign joins two words. A few passes always suffice. */
const MAX_PASSES = 6;

/** Repeats `once` until nothing changes. */
export function untilStable(once: (text: string) => string): (text: string) => string {
  return (text) => {
    let spoken = text;
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      const next = once(spoken);
      if (next === spoken) break;
      spoken = next;
    }
    return spoken;
  };
}

/** Brackets, dots and dashes as the commas that a voice pauses at. */
export function pauses(text: string): string {
  return text
    .replace(/…|\.{2,}/g, ", ")
    .replace(/[()[\]{}]/g, ", ")
    .replace(/ ?[—–] ?| -+ |--+/g, ", ");
}

/** Letters said one by one ("N.H.S") with the marks after them; a mark inside a number; other marks. */
const marked =
  /(?<![\p{L}\p{M}'])(\p{L}(?:\.\p{L})+)(?![\p{L}\p{M}])([\s,.?!;:]*)(?=(\p{Lu}|['-])?)|(?<=\p{Nd})([.,:])(?=\p{Nd})|[\s,.?!;:]*[,.?!;:][\s,.?!;:]*/gu;

/** One mark at a time, each after a word and before a space; apostrophes and hyphens inside words only. */
export function tidy(text: string): string {
  return text
    .replace(/(?<![\p{L}\p{M}\p{Nd}])(?:'|-(?!\p{Nd}))+|['-]+(?![\p{L}\p{M}\p{Nd}])/gu, " ")
    .replace(/\s+/g, " ")
    .replace(marked, (part, letters?: string, marks?: string, next?: string, inNumber?: string) =>
      letters === undefined ? (inNumber ?? `${strongest(part)} `) : letters + afterLetters(marks ?? "", next),
    )
    .replace(/\s+/g, " ")
    .replace(/^[\s,.?!;:]+/, "")
    .trimEnd();
}

/** The last dot of spelled letters gives way to any other mark; before a capital letter it would end the sentence. */
function afterLetters(marks: string, next: string | undefined): string {
  const mark = strongest(marks.replace(".", "")) || strongest(marks);
  if (mark !== "") return `${mark} `;
  return next === undefined ? `.${marks}` : marks;
}

function strongest(marks: string): string {
  return ["?", "!", ".", ";", ":", ","].find((mark) => marks.includes(mark)) ?? "";
}
