import { byId } from "./dom.ts";
import { RecordAudio } from "./record-audio.ts";

/* The operators' page: finds records, shows and plays one. The key stays in the page's memory. */

interface Summary {
  readonly id: string;
  readonly state: string;
  readonly startedAt?: string;
  readonly durationMs?: number;
  readonly configId?: string;
  readonly callerId?: string;
  readonly endReason?: string;
  readonly parts: readonly string[];
  readonly consent?: readonly { readonly state: string; readonly how: string; readonly at: string }[];
}

interface Line {
  readonly type: string;
  readonly startMs?: number;
  readonly atMs?: number;
  readonly text?: string;
  readonly heard?: string;
  readonly name?: string;
  readonly arguments?: string;
  readonly result?: string;
  readonly outcome?: string;
  readonly summary?: string;
  readonly fields?: unknown;
  readonly fault?: string;
}

interface Content extends Summary {
  readonly words: readonly Line[];
  readonly toolCalls: readonly Line[];
}

const input = (id: string) => byId(id, HTMLInputElement);
let audio: RecordAudio | undefined;
let shown: string | undefined;

async function ask(path: string, method = "GET"): Promise<Response> {
  const response = await fetch(path, { method, headers: { authorization: `Bearer ${input("key").value.trim()}` } });
  if (response.ok) return response;
  const { error } = (await response.json()) as { error: { message: string } };
  throw new Error(error.message);
}

function guarded(work: () => Promise<void>): void {
  const problem = byId("problem", HTMLElement);
  problem.textContent = "";
  work().catch((error: unknown) => (problem.textContent = error instanceof Error ? error.message : String(error)));
}

async function find(): Promise<void> {
  const query = new URLSearchParams();
  for (const name of ["from", "to", "caller", "search"])
    if (input(name).value !== "") query.set(name, input(name).value);
  const { records } = (await (await ask(`v1/records?${query.toString()}`)).json()) as { records: readonly Summary[] };
  byId("rows", HTMLElement).replaceChildren(...records.map(rowOf));
  byId("list", HTMLElement).hidden = records.length === 0;
  if (records.length === 0) throw new Error("No record matches.");
}

function rowOf(record: Summary): HTMLTableRowElement {
  const row = document.createElement("tr");
  const open = document.createElement("button");
  open.type = "button";
  open.textContent = record.startedAt?.slice(0, 19).replace("T", " ") ?? record.id;
  open.addEventListener("click", () => guarded(() => show(record.id)));
  const cells = [
    record.state,
    length(record.durationMs),
    record.configId ?? "",
    record.callerId ?? "",
    record.endReason ?? "",
  ];
  const first = document.createElement("td");
  first.append(open);
  row.append(first, ...cells.map((text) => Object.assign(document.createElement("td"), { textContent: text })));
  return row;
}

const length = (ms: number | undefined) => (ms === undefined ? "" : `${(ms / 1000).toFixed(1)} s`);

async function show(id: string): Promise<void> {
  const record = (await (await ask(`v1/records/${id}`)).json()) as Content;
  shown = id;
  byId("record", HTMLElement).hidden = false;
  byId("record-title", HTMLElement).textContent = id;
  const consent = record.consent?.map(({ state, how, at }) => `${state} (${how}, ${at})`).join(", ") ?? "";
  byId("about", HTMLElement).textContent = `${record.state}. Consent: ${consent}.`;
  byId("lines", HTMLElement).replaceChildren(
    ...[...record.words, ...record.toolCalls].toSorted((one, other) => timeOf(one) - timeOf(other)).map(lineOf),
  );
  const hasAudio = record.parts.includes("audio");
  byId("audio", HTMLElement).hidden = !hasAudio;
  if (!hasAudio) return;
  audio ??= new RecordAudio(byId("wave", HTMLCanvasElement));
  await audio.load(await (await ask(`v1/records/${id}/audio.wav`)).arrayBuffer());
}

const timeOf = ({ startMs, atMs }: Line) => startMs ?? atMs ?? 0;

function lineOf(line: Line): HTMLLIElement {
  const item = document.createElement("li");
  const at = document.createElement("button");
  at.type = "button";
  at.textContent = length(timeOf(line));
  at.addEventListener("click", () => play(timeOf(line) / 1000));
  const who = line.type === "tool" ? `tool ${line.name ?? ""}` : line.type;
  const said =
    line.type === "tool"
      ? `${line.arguments ?? ""} → ${line.outcome ?? ""}: ${line.result ?? ""}`
      : line.type === "notes"
        ? [line.summary, JSON.stringify(line.fields), line.fault].filter((part) => part !== undefined).join(" ")
        : (line.heard ?? line.text ?? "");
  item.append(at, ` ${who}: ${said}`);
  return item;
}

function play(fromSeconds: number): void {
  byId("play", HTMLButtonElement).textContent = "Stop";
  audio?.play(fromSeconds, () => (byId("play", HTMLButtonElement).textContent = "Play"));
}

byId("find", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault();
  guarded(find);
});
byId("play", HTMLButtonElement).addEventListener("click", () => {
  if (audio?.isPlaying !== true) return play(0);
  audio.stop();
  byId("play", HTMLButtonElement).textContent = "Play";
});
byId("wave", HTMLCanvasElement).addEventListener("click", ({ offsetX }) =>
  play(audio?.secondsAt(offsetX / byId("wave", HTMLCanvasElement).clientWidth) ?? 0),
);
for (const [side, name] of (["left", "right"] as const).entries())
  input(name).addEventListener("change", () => audio?.hear(side === 0 ? 0 : 1, input(name).checked));
byId("erase", HTMLButtonElement).addEventListener("click", () => {
  if (shown === undefined || !confirm("Erase this record for good?")) return;
  const id = shown;
  guarded(async () => {
    await ask(`v1/records/${id}`, "DELETE");
    byId("record", HTMLElement).hidden = true;
    await find();
  });
});
