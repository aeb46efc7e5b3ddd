import { uuid } from "../client/bytes.ts";
import { AssistantLine } from "./assistant-line.ts";
import { Call } from "./call.ts";
import { Conversation } from "./conversation.ts";
import { byId } from "./dom.ts";
import { Emotions } from "./emotions.ts";
import { EventLog } from "./event-log.ts";
import { explain, secureAddress } from "./explain.ts";
import { readRecording } from "./input.ts";
import { SettingsForm } from "./settings-form.ts";
import { SoundWatch } from "./sound-watch.ts";
import { Tools } from "./tools.ts";
import { Timeline } from "./timeline.ts";
import { TimesTable } from "./times-table.ts";

const STATES = {
  idle: "Not connected",
  connecting: "Connecting …",
  connected: "Connecting …",
  ready: "Listening",
  hearing: "You are speaking",
  speaking: "Oakvoice is speaking",
  waiting: "Connection lost, trying again …",
  closed: "Not connected",
} as const;

const NO_SOUND =
  "No sound comes from the microphone. Say something. If this line stays: see whether a switch on it or the system’s settings mute it, and whether the browser uses the right one (the sign beside the address).";

const page = {
  state: byId("state"),
  start: byId("start"),
  form: byId("connect", HTMLFormElement),
  key: byId("key", HTMLInputElement),
  config: byId("config", HTMLInputElement),
  door: byId("door", HTMLSelectElement),
  talk: byId("talk", HTMLButtonElement),
  quiet: byId("quiet", HTMLButtonElement),
  problem: byId("problem"),
  noSound: byId("no-sound"),
  call: byId("call"),
  bar: byId("bar"),
  mute: byId("mute", HTMLButtonElement),
  interrupt: byId("interrupt", HTMLButtonElement),
  file: byId("file", HTMLInputElement),
  sample: byId("sample", HTMLButtonElement),
  hangUp: byId("hang-up", HTMLButtonElement),
  announcement: byId("announcement"),
};

const conversation = new Conversation();
const settings = new SettingsForm();
const events = new EventLog();
const views = [
  conversation,
  new AssistantLine(),
  new Timeline(),
  new Emotions(),
  new Tools(),
  new TimesTable(),
  settings,
  events,
];
let call: Call | undefined;
/** The call was ready once. Its end is shown here after that. */
let isTalking = false;

readStartLink();
explainInsecure();
page.form.addEventListener("submit", (event) => {
  event.preventDefault();
  void begin(event.submitter !== page.quiet);
});
page.hangUp.addEventListener("click", end);
page.mute.addEventListener("click", () => {
  if (call !== undefined) showMuted((call.input.isMuted = !call.input.isMuted));
});
page.interrupt.addEventListener("click", interrupt);
document.addEventListener("keydown", ({ key }) => {
  if (key === "Escape") interrupt();
});
page.file.addEventListener("change", () => {
  const [file] = page.file.files ?? [];
  if (file !== undefined) void play(file);
  page.file.value = "";
});
page.sample.addEventListener("click", () => void playSample());
globalThis.addEventListener("online", () => call?.client.retryNow());

/** Browsers do not send the part after the #. The key is removed from the address bar at once and stays in this tab. */
function readStartLink(): void {
  const link = new URLSearchParams(location.hash.slice(1));
  page.key.value = link.get("api_key") ?? sessionStorage.getItem("key") ?? "";
  page.config.value = link.get("config_id") ?? sessionStorage.getItem("config") ?? "default";
  if (location.hash !== "") history.replaceState(null, "", location.pathname);
}

function explainInsecure(): void {
  if (isSecureContext) return;
  page.talk.disabled = true;
  page.quiet.classList.add("primary");
  byId("insecure").hidden = false;
  byId("secure-address").textContent = secureAddress();
  const port = location.port === "" ? "80" : location.port;
  byId("tunnel").textContent = `ssh -L ${port}:localhost:${port} ${location.hostname}`;
  byId("tunnelled").textContent = `http://localhost:${port}/`;
}

async function begin(wantsMicrophone: boolean): Promise<void> {
  tellProblem(undefined);
  showState("connecting");
  const apiKey = page.key.value.trim();
  const configId = page.config.value.trim();
  sessionStorage.setItem("key", apiKey);
  sessionStorage.setItem("config", configId);
  const isRealtime = page.door.value === "realtime";
  page.form.inert = true;
  try {
    const own = { tool_calls: true, caller_id: callerId() };
    const opened = await Call.open({
      apiKey,
      configId,
      settings: { ...settings.patch, ...own },
      isRealtime,
      wantsMicrophone,
    });
    call = opened;
    for (const view of views) view.attach(opened);
    follow(opened);
    if (wantsMicrophone) watchSound(opened);
    await opened.start();
    isTalking = true;
    page.start.hidden = true;
    page.call.hidden = page.bar.hidden = false;
    showMuted(false);
    page.mute.hidden = !wantsMicrophone;
    announce(wantsMicrophone ? "Connected. Speak now." : "Connected. Ask the sample question.");
    (wantsMicrophone ? page.mute : page.interrupt).focus();
  } catch (error) {
    end();
    tellProblem(explain(error));
  }
}

/** Timers of this tab are kept under this name when the connection is lost. */
function callerId(): string {
  const id = sessionStorage.getItem("caller") ?? uuid();
  sessionStorage.setItem("caller", id);
  return id;
}

function follow(current: Call): void {
  const { client } = current;
  let isSpeaking = false;
  let turns = 0;
  const refresh = () => {
    if (current !== call) return;
    const { state } = client;
    showState(state === "ready" && isSpeaking ? "speaking" : state === "ready" && turns > 0 ? "hearing" : state);
    page.interrupt.setAttribute("aria-disabled", String(!isSpeaking));
  };
  client.on("state", (state) => {
    if (state !== "ready") turns = 0;
    if (state === "waiting" || state === "ready") announce(state === "ready" ? "Connected." : STATES.waiting);
    refresh();
  });
  client.on("turn_start", () => {
    turns += 1;
    refresh();
  });
  client.on("turn_end", () => {
    turns -= 1;
    refresh();
  });
  current.on("report", ({ isPlaying }) => {
    isSpeaking = isPlaying;
    refresh();
  });
  client.on("error", (error) => {
    if (client.state === "ready" && error.code !== "INVALID_SETTINGS") conversation.note(error.message);
  });
  client.on("closed", (error) => {
    if (current !== call || !isTalking) return;
    end();
    if (error !== undefined) tellProblem(explain(error));
  });
  current.input.on("lost", () => conversation.note("The microphone is gone; recordings still work."));
  current.input.on("recording", (isPlaying) => {
    page.sample.disabled = isPlaying;
  });
}

/** The microphone may be open and give nothing: a switch, the wrong device, a muted input of the system. */
function watchSound(current: Call): void {
  const watch = new SoundWatch();
  current.on("level", ({ db, atMs }) => {
    const isMissing = !current.input.isMuted && watch.add(db, atMs);
    if (current === call && page.noSound.hidden === isMissing) tellNoSound(isMissing);
  });
}

function end(): void {
  const ended = call;
  call = undefined;
  if (isTalking) announce("The call has ended.");
  isTalking = false;
  ended?.close();
  tellNoSound(false);
  showState("closed");
  page.interrupt.setAttribute("aria-disabled", "true");
  page.form.inert = page.start.hidden = false;
  page.bar.hidden = true;
  page.talk.focus();
}

async function playSample(): Promise<void> {
  try {
    const answer = await fetch("page/sample.wav");
    if (!answer.ok) throw new Error(answer.statusText);
    await play(await answer.blob());
  } catch {
    conversation.note("The server did not send the sample question.");
  }
}

async function play(file: Blob): Promise<void> {
  try {
    call?.input.play(await readRecording(file));
  } catch {
    conversation.note("This browser cannot read that file as audio.");
  }
}

function interrupt(): void {
  if (page.interrupt.getAttribute("aria-disabled") === "false") call?.interrupt();
}

function showMuted(isMuted: boolean): void {
  page.mute.setAttribute("aria-pressed", String(isMuted));
  page.mute.textContent = isMuted ? "Muted" : "Mute";
}

function showState(state: keyof typeof STATES): void {
  page.state.dataset["state"] = state;
  page.state.textContent = STATES[state];
}

function tellProblem(text: string | undefined): void {
  page.problem.hidden = text === undefined;
  page.problem.textContent = text ?? "";
  page.problem.scrollIntoView({ block: "nearest" });
}

function tellNoSound(isMissing: boolean): void {
  page.noSound.hidden = !isMissing;
  page.noSound.textContent = isMissing ? NO_SOUND : "";
}

function announce(text: string): void {
  page.announcement.textContent = text;
}
