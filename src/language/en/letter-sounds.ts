/**
 * English letter-to-sound rules: phones (CMU set, vowels with stress) for a word no dictionary knows.
 * A rule reads `before <letters> after = phones` (regular expressions on both sides; no phones: silent).
 * The first rule of a letter that fits wins, so the longer and rarer ones come first.
 */
interface Rule {
  readonly letters: string;
  readonly phones: readonly string[];
  readonly before: RegExp | undefined;
  readonly after: RegExp | undefined;
}

/** Vowel before one consonant and a final e ("note", "noted", "notes"): said as its letter name. */
const silentE = "[bcdfghjklmnprstvz](?:e|es|ed|er|ers|ely|ing)$";

const ruleText = `
<a>$ = AH
<augh> = AO
<au> = AO
<aw> = AO
<aye>$ = EY
<ay> = EY
<air> = EH R
<ai> = EY
<ae> = IY
<ah> = AA
<aa> = AA
<are>$ = EH R
<ar>r?[aeiouy] = EH R
w<ar> = AO R
<ard>$ = ER D
<ar>$ = AA R
<ar> = AA R
<a>tion = EY
<a>ble$ = EY
<a>ste$ = EY
<a>nge = EY
<alk> = AO K
<alm> = AA M
<all>$ = AO L
<a>ld = AO
<a>lt = AO
[aeiouy].*<age>s?$ = IH JH
[aeiouy].+<al>$ = AH L
[aeiouy].+<an>$ = AH N
[aeiouy].+<ant>$ = AH N T
[aeiouy].+<ance>$ = AH N S
[aeiouy].+<ate>$ = EY T
<a>${silentE} = EY
[aeiouy].+<ate>d$ = EY T
^w<a>[dnst] = AA
<a>[bcdfgklmnpstvz][aeiou]$ = AA
<a> = AE
<bb> = B
<b>t$ =
^<be>[a-z][aiou] = B IH
<b> = B
<cch> = K
s<ch>[aeiour] = K
<ch>r = K
^<ch>l = K
<ch> = CH
<ck> = K
<ci>[ao] = SH
<cc>[ei] = K S
<cc> = K
<cz> = CH
<c>[eiy] = S
<cs>$ = K S
<c> = K
<dge> = JH
<dg> = JH
<dd> = D
<dj> = JH
<dt>$ = T
^<de>[a-z][aiou] = D IH
<d> = D
<eau> = OW
<eigh> = EY
c<ei> = IY
<ei>gn = EY
<ei>n = AY
<ei> = AY
<ee>r = IH
<ee> = IY
<ear>[dlns] = ER
<ear> = IH R
<ea>[dt]h? = EH
<ea> = IY
<eur>$ = ER
<eu> = UW
[dlnrst]<ew> = UW
<ew> = Y UW
^.?<ey>$ = EY
<ey>$ = IY
<ey>s$ = IY
<ey> = EY
<ere>$ = IH R
<er>[aeiouy] = EH R
<err> = EH R
<er> = ER
<eo> = IY OW
[td]<ed>$ = IH D
[pkfsxcgh]<ed>$ = T
[aeiouy].*<ed>$ = D
(?:s|x|z|ch|sh|c|g)<es>$ = IH Z
[aeiouy].*[ptkf]<es>$ = S
[aeiouy].*[^aeiouy]<es>$ = Z
[aeiouy].*<e>$ =
[aeiouy].*<e>(?:ly|less|ness|ment|ful|some)$ =
[eaoiu]y?[^aeiouy]<el>$ = AH L
[aeiouy].+<en>$ = AH N
[aeiouy].+<ent>$ = AH N T
[aeiouy].+<ence>$ = AH N S
[aeiouy].+<et>$ = AH T
^<e>x[aeiou] = IH
^<e>(?:x|n|m) = EH
<e>[aiou] = IY
^[^aeiouy]*<e>$ = IY
<e> = EH
<ff> = F
<f> = F
<gg> = G
^<gh> = G
<gh>t =
<gh>$ =
<gh> = G
^<gn> = N
<gn>$ = N
<gu>[ei] = G
^<ge>[lrt]t? = G EH
^<g>i[brfl] = G
<g>[eiy] = JH
<g> = G
[aeou]<h>$ =
[aeiou]<h>[bcdfgklmnpqrstvwxz] =
<h> = HH
<igh> = AY
<ign>$ = AY N
^[^aeiouy]*<ie>[sd]?$ = AY
<ies>$ = IY Z
<ied>$ = IY D
<ie>r$ = IY
<ie> = IY
<ire>$ = AY ER
<ir>[aeiouy] = IH R
<ir> = ER
<ique>$ = IY K
<i>nd$ = AY
<i>ld$ = AY
<iz>e = AY Z
[aeiouy].+<ive>$ = IH V
[aeiouy].+<ine>$ = IY N
[aeiouy].+<ite>$ = AY T
<ious>$ = IY AH S
<ium>$ = IY AH M
<ian>$ = IY AH N
<ia>$ = IY AH
<i>o = IY
<i>a = IY
<i>u = IY
<i>$ = IY
<i>${silentE} = AY
<i>[nt][oa]$ = IY
<i> = IH
<j> = JH
^<kn> = N
<kk> = K
<kh> = K
<k> = K
<lk>$ = L K
<ll> = L
[bcdfgkpstz]<le>s?$ = AH L
<l> = L
<mb>$ = M
<mm> = M
^<mc> = M AH K
<m> = M
<nn> = N
<ng>[eiy] = N JH
<ng>$ = NG
<ng>s$ = NG
<ng>[aourlw] = NG G
<ng> = NG
<n>k = NG
<n>x = NG
<n> = N
<oar> = AO R
<oa> = OW
<oo>[kd] = UH
<oor> = AO R
<oo> = UW
<ought> = AO T
<ough>$ = OW
<ould> = UH D
<oup> = UW P
<ous>$ = AH S
<our> = AO R
<ou> = AW
<ow>$ = OW
<ow>s$ = OW
<ow>e[dr] = OW
<ow> = AW
<oy> = OY
<oi> = OY
<oe> = OW
^w<or>[^en] = ER
<ore>s?$ = AO R
[aeiouy].+<or>$ = ER
<or> = AO R
<os>$ = OW S
<o>$ = OW
<o>l[dtk] = OW
<oll>$ = OW L
<o>st$ = OW
[aeiouy].+<on>$ = AH N
[aeiouy].+<om>$ = AH M
[aeiouy].+<ot>$ = AH T
<o>h = OW
<o>${silentE} = OW
<o>[a-z]?[aeiouy]$ = OW
<o>[bcdfgklmnprstvz](?:ia|io|ea|eo) = OW
<o> = AA
<ph> = F
<pp> = P
^<p>[sn] =
<p> = P
<que>$ = K
<qu> = K W
<q> = K
<rh> = R
<rr> = R
^<re>[a-z][aiou] = R IY
<r> = R
<sch> = SH
<sh> = SH
[aeiou]<sion> = ZH AH N
<ssion> = SH AH N
<sion> = SH AH N
[aeiou]<sure>$ = ZH ER
<ss> = S
<sc>[eiy] = S
<sm>$ = Z AH M
(?:[sui]|ou|[ptkf]|ck|ph|gh|th)<s>$ = S
<s>$ = Z
[aeiouy]<s>e$ = Z
[aeiou]<s>y$ = Z
<s> = S
<tion> = SH AH N
<tious> = SH AH S
<ti>a = SH
<tch> = CH
<th> = TH
<ture>s?$ = CH ER
<tu>a = CH UW
<tt> = T
<tz> = T S
<t> = T
<ue>$ = UW
<ueue> = UW
<uy> = AY
[gq]<u>[aeiou] = W
<ui>[tc] = UW
<ure>$ = Y UH R
<ur> = ER
^<u>[^aeiouy][aeiouy] = Y UW
<us>$ = AH S
<um>$ = AH M
[rljsn]<u>${silentE} = UW
<u>${silentE} = Y UW
<u>$ = UW
[bcfhmp]<u>[^aeiouy][aeiou] = Y UW
<u>[^aeiouy][aeiouy] = UW
<u> = AH
<v> = V
<wr> = R
<wh> = W
<w> = W
^<x> = Z
<x> = K S
^<y> = Y
[aeiou]<y>[aeiou] = Y
^[^aeiouy]*<y>$ = AY
<y>$ = IY
<y>s$ = IY
<y>${silentE} = AY
<y>[aeo] = IY
<y> = IH
<zz> = Z
<z> = Z
`;

const vowels = new Set(["AA", "AE", "AH", "AO", "AW", "AY", "EH", "ER", "EY", "IH", "IY", "OW", "OY", "UH", "UW"]);
/** Short vowels that fade to a schwa away from the stress. */
const fading = new Set(["AE", "AH"]);
const longestWord = 40;

const rulesByLetter: ReadonlyMap<string, readonly Rule[]> = parseRules(ruleText);

function parseRules(text: string): ReadonlyMap<string, readonly Rule[]> {
  const byLetter = new Map<string, Rule[]>();
  for (const line of text.split("\n")) {
    const match = /^(.*)<([a-z]+)>(.*) =(.*)$/.exec(line);
    if (!match) continue;
    const [, before = "", letters = "", after = "", phones = ""] = match;
    const list = byLetter.get(letters.charAt(0)) ?? [];
    list.push({
      letters,
      phones: phones.split(" ").filter(Boolean),
      before: before ? new RegExp(`${before}$`) : undefined,
      after: after ? new RegExp(`^${after}`) : undefined,
    });
    byLetter.set(letters.charAt(0), list);
  }
  return byLetter;
}

function bareSounds(word: string): string[] {
  const phones: string[] = [];
  let at = 0;
  while (at < word.length) {
    const before = word.slice(0, at);
    const rule = rulesByLetter.get(word.charAt(at))?.find((candidate) => {
      if (!word.startsWith(candidate.letters, at)) return false;
      const after = word.slice(at + candidate.letters.length);
      return (candidate.before?.test(before) ?? true) && (candidate.after?.test(after) ?? true);
    });
    for (const phone of rule?.phones ?? []) {
      // "rr", "sc" and the like: two letters of one sound are said once.
      if (phone !== phones.at(-1) || vowels.has(phone)) phones.push(phone);
    }
    at += rule?.letters.length ?? 1;
  }
  return phones;
}

/**
 * Phones of `word` (a-z only; at most 40 letters are read), with one main stress: the first syllable of
 * short words, the third from the end of longer ones, the one before "-tion" and the like.
 */
export function letterSounds(word: string): string[] {
  const phones = bareSounds(word.slice(0, longestWord));
  const syllables = phones.flatMap((phone, index) => (vowels.has(phone) ? [index] : []));
  if (syllables.length === 0) return phones;
  const beforeSuffix = /(?:tion|sion|ic|ics|ical|ity|ian|ious|eous|ial)s?$/.test(word);
  const fromEnd = beforeSuffix
    ? /(?:ical|ity|ian|ious|eous|ial)s?$/.test(word)
      ? 3
      : 2
    : Math.min(3, syllables.length);
  const main = syllables[Math.max(0, syllables.length - fromEnd)];
  return phones.map((phone, index) => {
    if (!vowels.has(phone)) return phone;
    if (index === main) return `${phone}1`;
    return fading.has(phone) && syllables.length > 1 ? "AH0" : `${phone}0`;
  });
}
