import type { SessionSettings, SessionSettingsInput, SessionSettingsPatch } from "./session-settings.ts";

/** Deep merge: objects field by field, arrays and plain values replaced. Neither argument is changed. */
export function mergeSettings(current: SessionSettings, patch: SessionSettingsPatch): SessionSettings;
export function mergeSettings(current: SessionSettingsInput, patch: SessionSettingsInput): SessionSettingsInput;
export function mergeSettings(current: object, patch: object): object {
  return merge(current, patch) as object;
}

function merge(current: unknown, patch: unknown): unknown {
  if (!isRecord(current) || !isRecord(patch)) return patch;
  const merged: Record<string, unknown> = { ...current };
  for (const [key, value] of Object.entries(patch)) {
    if (value !== undefined) merged[key] = merge(current[key], value);
  }
  return merged;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
