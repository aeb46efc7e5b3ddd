import { expect, test } from "vitest";
import { ClauseSplitter } from "../../src/conversation/reply/text/clause-splitter.ts";
import { judgeOverlap } from "../../src/conversation/turn/evidence/judge-overlap.ts";
import { languageOf } from "../../src/language/packs/languages.ts";

const WHOLE_THING = { ended: true, sureOfNewest: 1 };

const finished: Readonly<Record<string, readonly string[]>> = {
  en: ["I need to go to the ER.", "Let's go with plan A.", "Turn on the light.", "What time is it?"],
  de: [
    "Mach das Licht an.",
    "Ruf mich bitte an.",
    "Wo ist er?",
    "Mach bitte die Tür zu.",
    "Schalte den Fernseher ein.",
    "Ich hätte gern einen Tisch für vier Personen.",
    "Wie spät ist es?",
    "Kommst du mit?",
    "Hör bitte auf.",
    "Ja.",
    "Was meinst du damit?",
    "Um acht Uhr.",
    "Wie ist das?",
    "Lädst du sie auch ein?",
    "Gehst du heute mit?",
    "Ich nehme den.",
    "Denk nach",
    "Nehmen wir Plan A.",
    "Wann fährt der nächste Zug nach Köln?",
    "nichts mehr danke das war es",
  ],
  fr: [
    "Qu'est-ce qu'il y a ?",
    "Je voudrais réserver une table.",
    "Il est quelle heure ?",
    "Où est-il ?",
    "Rappelez-moi demain.",
    "Allume la lumière.",
    "C'est qui ?",
    "Oui, si.",
    "J'en veux un.",
    "Prenons le plan A.",
    "Oui.",
    "Tu viens avec ?",
    "C'est quand ?",
  ],
  es: [
    "Quiero reservar una mesa para dos.",
    "Hay que ir a casa",
    "¿Qué hora es?",
    "Sí.",
    "si",
    "Dámelos.",
    "¿Por qué?",
    "Vamos con el plan A.",
    "Quiero este.",
    "Enciende la luz.",
    "No lo sé.",
    "¿Quién es?",
  ],
  it: [
    "Vorrei prenotare un tavolo per due.",
    "Che ore sono?",
    "Accendi la luce.",
    "Sì.",
    "Vieni su.",
    "Facciamo il piano A.",
    "Com'è?",
    "Perché no?",
    "Non lo so.",
    "Chi è?",
    "A che ora chiudete?",
  ],
  pt: [
    "Queria reservar uma mesa para dois.",
    "Que horas são?",
    "Acenda a luz.",
    "Sim.",
    "Desligue-a.",
    "Deixe-o.",
    "O que é?",
    "Vamos com o plano A.",
    "Não, obrigado.",
    "Não quero mais.",
    "Onde é que está?",
  ],
  nl: [
    "Ik wil graag een tafel voor twee.",
    "Hoe laat is het?",
    "Doe het licht aan.",
    "Bel me op.",
    "Ja.",
    "Waar hou je van?",
    "Zet de verwarming uit.",
    "Wat is dat?",
    "Doe het.",
    "Kom binnen.",
    "Ik weet het.",
    "We doen plan A.",
  ],
};

const unfinished: Readonly<Record<string, readonly string[]>> = {
  en: ["set a timer for", "my name is", "wake me up at", "I'd like to book a table for"],
  de: [
    "Ich möchte einen Tisch für",
    "Könnten Sie mir sagen wann der",
    "Ich hätte gern einen",
    "Können Sie mir bitte",
    "Mein Name ist",
    "Stell einen Wecker auf",
    "Weck mich um",
    "Ich fahre nach",
    "Brot, Milch und",
    "Schick das an meine",
    "Ich möchte einen Termin mit",
    "Ich wollte...",
    "Ich möchte.",
    "Was kostet das, wenn ich",
    "Ich brauche ein Zimmer mit",
    "Ich suche ein",
    "Könnte ich den",
    "Wissen Sie ob das",
    "Ich habe einen Termin bei",
  ],
  fr: [
    "Je voudrais réserver une",
    "Est-ce que vous pouvez me",
    "Je m'appelle",
    "Mon nom est",
    "Réveillez-moi à",
    "Je voudrais une table pour",
    "Où est",
    "Pouvez-vous me dire quand",
    "du pain, du lait et",
    "un verre d'",
    "parce que je",
    "J'aimerais",
    "L'adresse est",
    "J'ai besoin d'un",
  ],
  es: [
    "Quiero reservar una mesa para",
    "¿Me puede decir a qué hora",
    "Me llamo",
    "Mi nombre es",
    "Despiértame a las",
    "Pon un temporizador de",
    "pan, leche y",
    "Quisiera",
    "¿Dónde está",
    "¿Me puede decir",
  ],
  it: [
    "Vorrei prenotare un tavolo per",
    "Mi chiamo",
    "Il mio nome è",
    "Svegliami alle",
    "Potrebbe dirmi a che ora",
    "pane, latte e",
    "Vorrei",
    "Dov'è",
    "Mi può",
    "Devo andare al",
  ],
  pt: [
    "Queria reservar uma mesa para",
    "Pode dizer-me a que horas",
    "O meu nome é",
    "Chamo-me",
    "Acorde-me às",
    "pão, leite e",
    "Eu gostaria de",
    "Onde fica",
    "Ponha um temporizador de",
    "Quero falar com o",
  ],
  nl: [
    "Ik wil graag een tafel voor",
    "Kunt u mij zeggen hoe laat",
    "Mijn naam is",
    "Ik heet",
    "Maak me wakker om",
    "brood, melk en",
    "Ik wil graag",
    "Waar is",
    "Zet een timer op",
    "Ik zou graag",
  ],
};

const cases = (table: Readonly<Record<string, readonly string[]>>): [string, string][] =>
  Object.entries(table).flatMap(([code, texts]) => texts.map((text): [string, string] => [code, text]));

test.each(cases(finished))("%s: %j can be all", (code, text) => {
  expect(languageOf(code).isUnfinished(text)).toBe(false);
});

test.each(cases(unfinished))("%s: %j must go on", (code, text) => {
  expect(languageOf(code).isUnfinished(text)).toBe(true);
});

const backchannels = {
  en: ["yeah", "I see", "that's right"],
  de: ["ja", "genau", "mhm", "ja genau", "alles klar", "Ach so.", "stimmt", "verstehe", "ganz genau"],
  fr: ["oui", "d'accord", "d’accord", "ça marche", "je vois", "bien sûr", "voilà", "tout à fait"],
  es: ["sí", "vale", "claro", "de acuerdo", "ya veo", "muy bien", "claro que sí"],
  it: ["sì", "va bene", "d'accordo", "certo", "ho capito", "esatto", "va benissimo"],
  pt: ["sim", "pois", "está bem", "claro", "com certeza", "tudo bem", "isso mesmo"],
  nl: ["ja", "precies", "oké", "dat klopt", "ja hoor", "ik snap het", "inderdaad"],
};

test.each(cases(backchannels))("%s: %j is a back-channel", (code, text) => {
  expect(judgeOverlap(text, WHOLE_THING, languageOf(code).overlap)).toBe("backchannel");
});

const commands = {
  en: ["stop", "wait", "no cancel that"],
  de: ["warte", "Stopp!", "halt", "hör auf", "Hören Sie bitte auf", "einen Moment bitte", "sei still", "Moment mal"],
  fr: ["arrête", "arrêtez", "attends", "attendez", "un instant", "tais-toi", "ça suffit"],
  es: ["espera", "para", "basta", "un momento", "espere por favor", "déjame hablar", "cállate"],
  it: ["aspetta", "fermati", "basta", "un attimo", "si fermi", "mi lasci parlare"],
  pt: ["espera", "pare", "chega", "só um minuto", "um momento", "espera aí"],
  nl: ["stop", "wacht", "hou op", "wacht even", "een momentje", "houdt u op"],
};

test.each(cases(commands))("%s: %j asks the service to stop", (code, text) => {
  expect(judgeOverlap(text, WHOLE_THING, languageOf(code).overlap)).toBe("command");
});

const interruptions = {
  de: ["nächsten Dienstag", "und was kostet ein Zimmer"],
  fr: ["et mardi prochain", "combien coûte la chambre"],
  es: ["el martes que viene", "cuánto cuesta la habitación"],
  it: ["martedì prossimo", "quanto costa la camera"],
  pt: ["terça feira que vem", "quanto custa o quarto"],
  nl: ["volgende week dinsdag", "wat kost een kamer"],
};

test.each(cases(interruptions))("%s: %j says something", (code, text) => {
  expect(judgeOverlap(text, WHOLE_THING, languageOf(code).overlap)).toBe("words");
});

test("a command of several words that the reply itself says is not one", () => {
  const reply = { ...WHOLE_THING, ownSpeech: "Einen Moment, ich sehe kurz nach." };
  expect(judgeOverlap("einen Moment", reply, languageOf("de").overlap)).toBe("nothing");
});

test.each([
  ["de", "Wie lautet Ihre Telefonnummer?", "dictation"],
  ["de", "Möchten Sie noch etwas?", "brief"],
  ["de", "Für wie viele Personen?", "answer"],
  ["fr", "Quel est votre numéro ?", "dictation"],
  ["fr", "Voulez-vous autre chose ?", "brief"],
  ["es", "¿Cuál es su dirección?", "dictation"],
  ["es", "¿Quiere algo más?", "brief"],
  ["it", "Mi dica il suo indirizzo, per favore.", "dictation"],
  ["it", "Vuole altro?", "brief"],
  ["pt", "Qual é o seu número?", "dictation"],
  ["pt", "Quer mais alguma coisa?", "brief"],
  ["nl", "Wat is uw telefoonnummer?", "dictation"],
  ["nl", "Wilt u nog iets?", "brief"],
  ["nl", "Ik heb het genoteerd.", "anything"],
])("%s: %j asks for %s", (code, said, expectation) => {
  expect(languageOf(code).expectedAnswer(said)).toBe(expectation);
});

test.each([
  [
    "de",
    "Ihr Termin ist am 3. Mai 2026 um 14:30 Uhr, er kostet 12,50 €.",
    "Ihr Termin ist am dritten Mai zweitausendsechsundzwanzig um vierzehn Uhr dreißig, er kostet zwölf Euro und fünfzig Cent.",
  ],
  [
    "de",
    "Es sind -5 °C, z.B. 1.234 Stück.",
    "Es sind minus fünf Grad Celsius, zum Beispiel eintausendzweihundertvierunddreißig Stück.",
  ],
  ["de", "Rufen Sie 0800 12 an.", "Rufen Sie null acht null null, eins zwei an."],
  ["de", "Vom 3. bis 5. Mai, in der 2. Woche.", "Vom dritten bis fünften Mai, in der zweiten Woche."],
  ["de", "3.-5. Mai geschlossen.", "dritter bis fünften Mai geschlossen."],
  ["de", "3. und 5. Mai", "dritter und fünften Mai"],
  ["de", "3. Mai", "dritter Mai"],
  ["de", "1 Minute, 1 Tag, Seite 1 von 2, 24h", "eine Minute, ein Tag, Seite eins von zwei, vierundzwanzig Stunden"],
  ["de", "1.234,56 € oder $5", "eintausendzweihundertvierunddreißig Euro und sechsundfünfzig Cent oder fünf Dollar"],
  ["de", "192.168.1.1", "einhundertzweiundneunzig Punkt einhundertachtundsechzig Punkt eins Punkt eins"],
  [
    "fr",
    "Appelez le 01 23 45 67 89.",
    "Appelez le zéro un, vingt-trois, quarante-cinq, soixante-sept, quatre-vingt-neuf.",
  ],
  ["fr", "à 21h, 1 chambre, 2e étage", "à vingt et une heures, une chambre, deuxième étage"],
  ["fr", "1 000 000 euros", "un million d'euros"],
  ["es", "Llame al 912 345 678.", "Llame al nueve uno dos, tres cuatro cinco, seis siete ocho."],
  ["es", "1 habitación, 21 días, la 3ª vez", "una habitación, veintiún días, la tercera vez"],
  ["es", "12,50 € y 3,5 km", "doce euros con cincuenta céntimos y tres coma cinco kilómetros"],
  ["it", "Alle ore 14.30, 1 camera, 2º piano.", "Alle ore quattordici e trenta, una camera, secondo piano."],
  [
    "it",
    "Il 03/05/2024, 12,50 €, +39 06 12345",
    "Il tre maggio duemilaventiquattro, dodici euro e cinquanta centesimi, più tre nove, zero sei, uno due tre quattro cinque",
  ],
  ["pt", "às 21h, 2 mesas, 3ª vez, R$ 5", "às vinte e uma horas, duas mesas, terceira vez, cinco reais"],
  ["pt", "Ligue 912 345 678.", "Ligue nove um dois, três quatro cinco, seis sete oito."],
  ["nl", "€ 12,50, 2e verdieping, 1905", "twaalf euro en vijftig cent, tweede verdieping, negentienhonderdvijf"],
  [
    "nl",
    "Bel 020 1234567, van 8:00 tot 10:30.",
    "Bel nul twee nul, één twee drie vier vijf zes zeven, van acht uur tot tien uur dertig.",
  ],
  ["fr", "Le 1er mai à 14h30, 20 %.", "Le premier mai à quatorze heures trente, vingt pour cent."],
  ["es", "El 24/12/2026 a las 14:30.", "El veinticuatro de diciembre de dos mil veintiséis a las catorce y treinta."],
  ["it", "Il 1 maggio, 3-5 giorni.", "Il primo maggio, tre a cinque giorni."],
  ["pt", "No dia 3 de maio, 12,50 €.", "No dia três de maio, doze euros e cinquenta cêntimos."],
  ["nl", "Op 3 mei 1984 om 9:00 uur.", "Op drie mei negentien vierentachtig om negen uur."],
])("%s: %j is said in words", (code, text, spoken) => {
  const { speakable } = languageOf(code);
  expect(speakable(text)).toBe(spoken);
  expect(speakable(spoken)).toBe(spoken);
});

test.each(["de", "fr", "es", "it", "pt", "nl"])(
  "%s: any mixture of signs is said without digits, in bounded time",
  (code) => {
    const { speakable, isUnfinished } = languageOf(code);
    const pieces = [
      "12",
      "1",
      "912 345",
      "0",
      "$",
      "º",
      "1/2",
      "h30",
      "km",
      "@",
      "3.",
      ".",
      ",",
      ":",
      "€",
      "%",
      "-",
      " ",
      "/",
      "+",
      "z.B.",
      "h",
      "3. ",
      "Mai",
      "mai",
      "\n",
    ];
    let seed = 7;
    for (let round = 0; round < 500; round += 1) {
      const text = Array.from({ length: 12 }, () => {
        seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
        return pieces[Math.floor((seed / 2 ** 31) * pieces.length)] ?? "";
      }).join("");
      expect(speakable(text), text).not.toMatch(/\d/);
    }
    for (const piece of ["1.", "12 ", "de ", "a-", "1-"]) {
      expect(speakable(piece.repeat(5_000))).toBeTypeOf("string");
      expect(isUnfinished(piece.repeat(50_000))).toBeTypeOf("boolean");
    }
  },
);

test("a language without a pack gets nothing", () => {
  const polish = languageOf("pl");
  expect(polish.isUnfinished("Chciałbym zarezerwować stolik dla")).toBe(false);
  expect(polish.hasSentenceEndOdds).toBe(false);
  expect(polish.expectedAnswer("Czy to wszystko?")).toBe("anything");
  expect(polish.speakable("O 14:30, 3,5 zł.")).toBe("O 14:30, 3,5 zł.");
  expect(polish.fillers).toEqual([]);
  for (const text of ["tak", "stop", "jutro wieczorem"])
    expect(judgeOverlap(text, WHOLE_THING, polish.overlap)).toBe("undecoded");
  expect(judgeOverlap("", WHOLE_THING, polish.overlap)).toBe("nothing");
});

test.each([
  ["de", ["Ihr Termin ist am 3. Mai um 14.30 Uhr.", " Das kostet ca. 20 Euro, z. B. für Dr. Braun."]],
  ["de", ["Wir öffnen vom 3. bis 5. Juni.", " Der 2. Versuch klappt.", " Es sind noch 4.", " Reicht das?"]],
  ["fr", ["Bonjour M. Dupont et Mme Martin.", " Appelez au tél. 12, p. ex. demain."]],
  ["es", ["Buenas tardes Sra. García.", " Está en la Avda. Colón, n.º 5."]],
  ["it", ["Buonasera Sig. Rossi.", " Ad es. domani."]],
  ["pt", ["Boa tarde Sr. Silva.", " Fica na Av. Brasil."]],
  ["nl", ["Goedemiddag dhr. Jansen.", " Het kost ca. 20 euro, bijv. morgen."]],
  ["pl", ["Dzień dobry panu.", " Co słychać?"]],
])("%s: abbreviations do not end a piece of the reply %j", (code, sentences) => {
  const splitter = new ClauseSplitter(languageOf(code).keepsDot);
  const clauses = [...splitter.push(sentences.join("")), ...splitter.flush()].map(({ text }) => text);
  expect(clauses).toEqual(sentences);
});
