import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { HEARD } from "../../support/models/parakeet-file.ts";
import { clip, silence } from "../../support/audio.ts";
import { TestBox } from "../../support/box.ts";
import { writeParakeet } from "./tiny-parakeet.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();

test("a Parakeet model that only models.stt.path names transcribes a caller", async () => {
  const path = await writeParakeet(join(folder, "tiny.bin"));
  const box = await TestBox.start({}, `models: { stt: { path: ${path} } }`);
  onTestFinished(() => box.close());
  const caller = await box.call();
  caller.client.sendAudio(Buffer.concat([clip("flite-lights.wav"), silence(1.2)]));
  const { data } = await caller.next("transcription", (message) => message.data.is_speech_final);
  expect(data.accumulated_transcript).toBe(HEARD);
  expect((await caller.next("turn_end")).data).toMatchObject({ is_complete: true, transcript: data.transcript });
  expect(caller.all("error")).toEqual([]);
  caller.client.close();
});
