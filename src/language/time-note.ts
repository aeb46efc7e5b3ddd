/**
 * A function that writes the date and the time of day in a language. `frame` gives the sentence. Without it only the date and
 * the time stand in the note, which models of every language read.
 */
export function timeNoteIn(
  locale: string,
  frame: (date: string, time: string) => string = (date, time) => `(${date}, ${time})`,
): (now: Date, timeZone: string) => string {
  /** By time zone, because creating a format is slow. Only voice configurations name time zones, so the map stays small. */
  const formats = new Map<string, Formats>();
  return (now, timeZone) => {
    const { date, time } = formats.get(timeZone) ?? formatsOf(locale, timeZone);
    formats.set(timeZone, { date, time });
    return frame(date.format(now), time.format(now).replace(/\s/g, " "));
  };
}

interface Formats {
  readonly date: Intl.DateTimeFormat;
  readonly time: Intl.DateTimeFormat;
}

const formatsOf = (locale: string, timeZone: string): Formats => ({
  date: new Intl.DateTimeFormat(locale, {
    timeZone,
    weekday: "long",
    year: "numeric",
    month: "long",
    day: "numeric",
  }),
  time: new Intl.DateTimeFormat(locale, { timeZone, hour: "numeric", minute: "2-digit" }),
});
