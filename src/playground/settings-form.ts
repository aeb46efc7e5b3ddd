import { deepMerge } from "../shared/deep-merge.ts";
import type { CallError } from "../client/errors.ts";
import type { SessionSettings, SessionSettingsPatch } from "../config/settings/settings-schema.ts";
import type { Call } from "./call.ts";
import { byId, element } from "./dom.ts";

type Control =
  | { readonly kind: "range"; readonly min: number; readonly max: number; readonly step: number; readonly unit: string }
  | { readonly kind: "choice"; readonly values: readonly string[] }
  | { readonly kind: "switch" }
  | { readonly kind: "text"; readonly placeholder: string }
  | { readonly kind: "languages"; readonly placeholder: string };

interface Field {
  readonly group: keyof SessionSettings;
  /** Undefined: the group is the field. */
  readonly name?: string;
  readonly label: string;
  readonly control: Control;
}

const seconds = (min: number, max: number): Control => ({ kind: "range", min, max, step: 0.05, unit: " s" });
const share: Control = { kind: "range", min: 0, max: 1, step: 0.05, unit: "" };
const onOff: Control = { kind: "switch" };
const turn = (name: keyof SessionSettings["turn_detection"], label: string, control: Control): Field => ({
  group: "turn_detection",
  name,
  label,
  control,
});
const emotion = (name: keyof SessionSettings["emotion_detection"], label: string, control: Control): Field => ({
  group: "emotion_detection",
  name,
  label,
  control,
});
const style = (name: keyof SessionSettings["response_style"], label: string, placeholder: string): Field => ({
  group: "response_style",
  name,
  label,
  control: { kind: "text", placeholder },
});

const language: Field = {
  group: "language",
  label: "Language you speak",
  control: { kind: "languages", placeholder: "auto, or en, de" },
};

const FIELDS: readonly (readonly [title: string, fields: readonly Field[]])[] = [
  ["Language", [language]],
  [
    "Turns",
    [
      turn("mode", "Mode", { kind: "choice", values: ["standard", "adaptive", "aggressive", "conservative"] }),
      turn("silence_threshold", "Silence that ends a turn", seconds(0.1, 3)),
      turn("min_speaking_time", "Shortest turn", seconds(0, 2)),
      turn("speech_threshold", "Voice threshold", share),
      turn("interrupt_threshold", "Interruption threshold", share),
      turn("natural_pauses", "Judge pauses by voice and words", onOff),
      turn("background_noise_adaptation", "Adapt to noise", onOff),
      turn("speaking_rate_adaptation", "Adapt to the speaking rate", onOff),
    ],
  ],
  [
    "Emotion",
    [
      emotion("enabled", "Detect emotion", onOff),
      emotion("confidence_threshold", "Least confidence", share),
      emotion("update_frequency", "Updates", {
        kind: "choice",
        values: ["continuous", "interval", "on_turn_complete"],
      }),
    ],
  ],
  [
    "Replies",
    [
      style("tone", "Tone", "friendly"),
      style("empathy_level", "Empathy", "high"),
      style("explanation_detail", "Detail", "brief"),
    ],
  ],
];

/** The session's settings. Changes are sent at once. The form shows the settings in force on the server. */
export class SettingsForm {
  readonly #status = byId("settings-status");
  readonly #inputs = new Map<string, HTMLInputElement | HTMLSelectElement>();
  #patch: SessionSettingsPatch = {};
  #call: Call | undefined;

  constructor() {
    const form = byId("settings-fields");
    for (const [title, fields] of FIELDS)
      form.append(element("fieldset", {}, element("legend", {}, title), ...fields.map((field) => this.#row(field))));
  }

  /** All changes so far. The next call begins with them. */
  get patch(): SessionSettingsPatch {
    return this.#patch;
  }

  attach(call: Call): void {
    this.#call = call;
    call.client.on("status", ({ details }) => {
      if (!("session_settings" in details)) return;
      if (details.applied_settings !== undefined) this.#show(details.applied_settings);
      this.#status.textContent = "In force.";
    });
    call.client.on("error", (error: CallError) => {
      if (error.code === "INVALID_SETTINGS") this.#status.textContent = `Refused: ${error.message}`;
    });
  }

  #row(field: Field): HTMLElement {
    const { label, control } = field;
    const id = idOf(field);
    const input = inputOf(control);
    input.id = id;
    const value = element("output", { for: id, class: "number" });
    const show = () => (value.textContent = control.kind === "range" ? `${input.value}${control.unit}` : "");
    input.addEventListener("input", show);
    // Show the server's value without triggering the listeners.
    input.addEventListener("shown", show);
    input.addEventListener("change", () => this.#change(field, valueOf(input, control)));
    this.#inputs.set(id, input);
    return element("div", { class: `field ${control.kind}` }, element("label", { for: id }, label), input, value);
  }

  #change({ group, name }: Field, value: unknown): void {
    const change = { [group]: name === undefined ? value : { [name]: value } } as SessionSettingsPatch;
    this.#patch = deepMerge(this.#patch, change);
    this.#status.textContent = this.#call?.client.state === "ready" ? "Sent …" : "For the next call.";
    this.#call?.client.configure(change);
  }

  #show(settings: SessionSettings): void {
    for (const [, fields] of FIELDS)
      for (const field of fields) {
        const input = this.#inputs.get(idOf(field));
        const value = shownValue(settings, field);
        // Do not change a field that has the focus.
        if (input === undefined || value === undefined || input === document.activeElement) continue;
        if (input instanceof HTMLInputElement && input.type === "checkbox") input.checked = value === true;
        else input.value = String(value);
        input.dispatchEvent(new Event("shown"));
      }
  }
}

function inputOf(control: Control): HTMLInputElement | HTMLSelectElement {
  switch (control.kind) {
    case "choice":
      return element(
        "select",
        {},
        ...control.values.map((value) => element("option", { value }, value.replaceAll("_", " "))),
      );
    case "switch":
      return element("input", { type: "checkbox", role: "switch" });
    case "range": {
      const { min, max, step } = control;
      return element("input", { type: "range", min: String(min), max: String(max), step: String(step) });
    }
    case "text":
    case "languages":
      return element("input", { type: "text", maxlength: "200", placeholder: control.placeholder });
  }
}

const idOf = ({ group, name }: Field): string => (name === undefined ? group : `${group}-${name}`);

function shownValue(settings: SessionSettings, { group, name }: Field): string | number | boolean | undefined {
  const value: unknown = settings[group];
  if (Array.isArray(value)) return value.join(", ");
  const shown = name === undefined ? value : (value as Readonly<Record<string, unknown>>)[name];
  return shown as string | number | boolean | undefined;
}

function valueOf(input: HTMLInputElement | HTMLSelectElement, control: Control): unknown {
  if (control.kind === "range") return Number(input.value);
  if (control.kind === "languages") {
    const codes = input.value
      .toLowerCase()
      .split(/[\s,]+/u)
      .filter((code) => code !== "");
    return codes.length > 1 ? codes : (codes[0] ?? "");
  }
  return input instanceof HTMLInputElement && input.type === "checkbox" ? input.checked : input.value;
}
