/** A tool of an example, with one webhook. */
interface ExampleTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, "integer" | "string">>;
  /** Its answer in the example's server, as JavaScript of `args`. */
  readonly answer: string;
}

/** A test of an example: file, YAML. */
interface ExampleTest {
  readonly file: string;
  readonly text: string;
}

/** An assistant to begin with. Its sentences work with the starter models. */
export interface Business {
  /** The name of the business unless `--name` gives another. */
  readonly title: string;
  readonly role: string;
  readonly facts: readonly string[];
  readonly tools: readonly [ExampleTool, ExampleTool];
  /** Sentences of callers for the first try. */
  readonly sayings: readonly string[];
  readonly tests: readonly ExampleTest[];
}

const factTest = (question: string, answer: string): ExampleTest => ({
  file: "1-a-question",
  text: `# A caller asks for a fact. Callers speak with a voice of this machine.
turns:
  - say: ${question}
    expect:
      reply: ${answer} # these words, in any spelling of numbers
      within: 5 # seconds until the first sound of the answer
      tools: [] # no tool
expect:
  nothing_invented: true # each number and name comes from the facts, the caller or a tool
`,
});

export const BUSINESSES: Readonly<Record<string, Business>> = {
  hotel: {
    title: "Oak Hotel",
    role: "the front desk of",
    facts: [
      "Breakfast is from 7 to 10 in the morning, on the ground floor.",
      "Check-out is at 11.",
      "The pool is on the fifth floor.",
      "Dogs are welcome.",
    ],
    tools: [
      {
        name: "plan_wake_up",
        description: "Plans a wake-up call for a room.",
        parameters: { room: "integer", time: "string" },
        answer: `({ planned: true, room: args.room, time: args.time })`,
      },
      {
        name: "bring_to_room",
        description: "Brings something to a room.",
        parameters: { room: "integer", item: "string" },
        answer: `({ sent: args.item, room: args.room })`,
      },
    ],
    sayings: ["When is breakfast?", "A wake up call for room 12 at seven, please.", "Please bring towels to room 204."],
    tests: [
      factTest("when is breakfast", "seven to ten"),
      {
        file: "2-a-wake-up-call",
        text: `# The caller hesitates for 0.4 seconds. The tool must be called once, with these arguments.
turns:
  - say: [a wake up call for, 0.4, room twelve at seven please]
    expect:
      tools: [{ plan_wake_up: { room: 12, time: "07:00" } }]
answers: # what the tool answers in this test, so that nothing happens in the hotel
  plan_wake_up: { planned: true, room: 12, time: "07:00" }
`,
      },
      {
        file: "3-towels",
        text: `# The caller types, as on a web page. That tests words and tools in half the time.
caller: types
turns:
  - say: please bring towels to room 204
    expect:
      tools: [{ bring_to_room: { room: 204, item: towels } }]
      not_reply: [sorry, cannot]
answers:
  bring_to_room: { sent: towels, room: 204 }
`,
      },
    ],
  },
  clinic: {
    title: "Oak Clinic",
    role: "the reception of",
    facts: [
      "The clinic is open from 8 to 6, Monday to Friday.",
      "Parking is free.",
      "The pharmacy is on the ground floor.",
      "A checkup costs 80 dollars.",
    ],
    tools: [
      {
        name: "check_result",
        description: "Tells the result of a test.",
        parameters: { number: "string" },
        answer: `({ result: "not back yet" })`,
      },
      {
        name: "book_appointment",
        description: "Books an appointment.",
        parameters: { day: "string", time: "string", name: "string" },
        answer: `({ booked: true, day: args.day, time: args.time, name: args.name })`,
      },
    ],
    sayings: [
      "How much is a checkup?",
      "Is my test ready? The number is three five eight.",
      "I'd like an appointment on Friday at ten, my name is Anna Clark.",
    ],
    tests: [
      factTest("how much is a checkup", "eighty dollars"),
      {
        file: "2-a-test-result",
        text: `# The tool is called, and the caller hears its result.
turns:
  - say: is my test ready, the number is three five eight
    expect:
      tools: [{ check_result: { number: "358" } }]
      reply: not back yet
answers: # what the tool answers in this test
  check_result: { result: not back yet }
`,
      },
      {
        file: "3-an-appointment",
        text: `# The caller types, as on a web page. That tests words and tools in half the time.
caller: types
turns:
  - say: i need an appointment on friday at ten
    expect: { reply: name, tools: [] } # it asks for the name first
  - say: anna clark
    expect:
      tools: [{ book_appointment: { day: friday, time: "10:00", name: anna clark } }]
answers:
  book_appointment: { booked: true }
`,
      },
    ],
  },
  bank: {
    title: "Oak Bank",
    role: "the telephone desk of",
    facts: [
      "The branch is open from 9 to 4, Monday to Friday.",
      "A new card costs 10 dollars.",
      "The cash machine is next to the main entrance.",
      "Dogs are welcome.",
    ],
    tools: [
      {
        name: "check_balance",
        description: "Tells the balance of an account.",
        parameters: { number: "string" },
        answer: `({ balance: "310 dollars" })`,
      },
      {
        name: "block_card",
        description: "Blocks a lost card by its last digits.",
        parameters: { number: "string" },
        answer: `({ blocked: true })`,
      },
    ],
    sayings: [
      "How much is a new card?",
      "What is the balance of account four two seven?",
      "Please block my card, the number is one two three four.",
    ],
    tests: [
      factTest("how much is a new card", "ten dollars"),
      {
        file: "2-a-lost-card",
        text: `# The tool must be called once, with these digits.
turns:
  - say: please block my card, the number is one two three four
    expect:
      tools: [{ block_card: { number: "1234" } }]
answers: # what the tool answers in this test, so that no card is blocked
  block_card: { blocked: true }
`,
      },
      {
        file: "3-the-balance",
        text: `# The caller types, as on a web page. That tests words and tools in half the time.
caller: types
turns:
  - say: what is the balance of account four two seven
    expect:
      tools: [{ check_balance: { number: "427" } }]
      reply: 310 dollars
answers:
  check_balance: { balance: 310 dollars }
`,
      },
    ],
  },
  "law-firm": {
    title: "Oak Law",
    role: "the reception of the law firm",
    facts: [
      "The office is open from 9 to 5, Monday to Friday.",
      "A consultation costs 150 dollars.",
      "The meeting room is on the second floor.",
      "Parking is free.",
    ],
    tools: [
      {
        name: "case_status",
        description: "Tells the status of a case.",
        parameters: { number: "string" },
        answer: `({ status: "in court" })`,
      },
      {
        name: "book_consultation",
        description: "Books a consultation.",
        parameters: { day: "string", time: "string", name: "string" },
        answer: `({ booked: true, day: args.day, time: args.time, name: args.name })`,
      },
    ],
    sayings: [
      "How much is a consultation?",
      "What about my case? The number is three five eight.",
      "I'd like a consultation on Friday at ten, my name is Peter Novak.",
    ],
    tests: [
      factTest("how much is a consultation", "one hundred fifty dollars"),
      {
        file: "2-a-case",
        text: `# The tool is called, and the caller hears its result.
turns:
  - say: what about my case, the number is three five eight
    expect:
      tools: [{ case_status: { number: "358" } }]
      reply: in court
answers: # what the tool answers in this test
  case_status: { status: in court }
`,
      },
      {
        file: "3-a-consultation",
        text: `# The caller types, as on a web page. That tests words and tools in half the time.
caller: types
turns:
  - say: i'd like a consultation on friday at ten, my name is peter novak
    expect:
      tools: [{ book_consultation: { day: friday, time: "10:00", name: peter novak } }]
answers:
  book_consultation: { booked: true }
`,
      },
    ],
  },
};
