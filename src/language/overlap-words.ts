/** Callers' words over a reply. Lower case, as `wordsOf` returns them. */
export interface OverlapWords {
  /** Words that show that the caller listens and does not want to speak. */
  readonly backchannels: ReadonlySet<string>;
  readonly backchannelPhrases: readonly string[];
  /** Matches a whole back-channel phrase inside a text. */
  readonly backchannelPhrase: RegExp;
  /** Words that say nothing when they stand alone. Recognisers also make them of a hum or of half a word. */
  readonly functionWords: ReadonlySet<string>;
  /** Words that ask the service to stop, whatever comes after them. */
  readonly commands: ReadonlySet<string>;
  readonly commandPhrases: readonly string[];
}

export interface OverlapLists {
  readonly backchannels: string;
  /** Separated by "|". */
  readonly backchannelPhrases: string;
  readonly functionWords: string;
  readonly commands: string;
  /** Separated by "|". */
  readonly commandPhrases: string;
}

export function overlapWords(lists: OverlapLists): OverlapWords {
  const backchannelPhrases = phrases(lists.backchannelPhrases);
  return {
    backchannels: words(lists.backchannels),
    backchannelPhrases,
    backchannelPhrase: new RegExp(`(?<![\\p{L}\\p{N}])(?:${backchannelPhrases.join("|")})(?![\\p{L}\\p{N}])`, "gu"),
    functionWords: words(lists.functionWords),
    commands: words(lists.commands),
    commandPhrases: phrases(lists.commandPhrases),
  };
}

const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));
const phrases = (list: string): readonly string[] =>
  list
    .split("|")
    .map((phrase) => phrase.trim().replace(/\s+/g, " "))
    .filter(Boolean);
