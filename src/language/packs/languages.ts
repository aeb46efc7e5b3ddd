import { german } from "./de/de.ts";
import { english } from "./en/en.ts";
import { spanish } from "./es/es.ts";
import { french } from "./fr/fr.ts";
import { italian } from "./it/it.ts";
import { neutral, type Language } from "../language.ts";
import { dutch } from "./nl/nl.ts";
import { portuguese } from "./pt/pt.ts";

const PACKS = new Map([english, german, french, spanish, italian, portuguese, dutch].map((pack) => [pack.code, pack]));

/** The pack of a language. A language without one gets a neutral pack, which is kept. */
export function languageOf(code: string): Language {
  const pack = PACKS.get(code) ?? neutral(code);
  PACKS.set(code, pack);
  return pack;
}
