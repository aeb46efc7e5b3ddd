import * as fc from "fast-check";
import { expect, test } from "vitest";
import { languageOf } from "../../src/language/packs/languages.ts";
import { NOTATIONS } from "./written-forms.ts";

const LENGTH = 4_000;

/** Beginnings of everything that a rule looks for. */
const pieces = fc.constantFrom(
  ..."1, 1- 1: 1/ 1. 1x 1e- 10^ ⁻ § Art. p. S. v. No. € $ EUR (€1 5'1 1'000 1.000 1,000 €- -€ ≤1 <1 ~1 5mg/ /kg /min mg/kg/ q6h b.i.d. BID Mon- Mo- lun- t/m XX XIX A1- DE89 0400 1a1a +1 (01) 01 12:30 12h 1.1. v1. 1/1/ 20/20 L.1/ c/1 D. 123.456. & Jr. Dr. AM NHS's A. A.a. www. a@ http://a <a [a]( * # ` \n 5% M€ 1h 1m km² 007 1st 90s".split(
    " ",
  ),
  ..."code is |code number |no. |is was with |dilution |ratio of 1|pain 1/|flight AB 1 |PIN 1 |1 000 |5 mg - |- 1| - |0 |\u00A0|\u202F|1. Januar |am 1/|in 1500 |your order |Louis X|chapter |1 million |ok ".split(
    "|",
  ),
);

/** One piece again and again, or many in turn. */
const text = fc
  .oneof(
    pieces.map((piece) => [piece]),
    fc.array(pieces, { minLength: 2, maxLength: 8 }),
  )
  .map((parts) =>
    parts
      .join("")
      .repeat(Math.ceil(LENGTH / parts.join("").length))
      .slice(0, LENGTH),
  );

test.each(Object.keys(NOTATIONS))("property: %s says 4,000 characters of unfinished forms without a digit", (code) => {
  const { speakable } = languageOf(code);
  fc.assert(
    fc.property(text, (written) => {
      expect(speakable(written)).not.toMatch(/\d/u);
    }),
    { numRuns: 30 },
  );
});
