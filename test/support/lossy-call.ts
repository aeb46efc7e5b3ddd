import type { Restored } from "../../src/conversation/session/session-interface.ts";
import { scriptedCall, type Script } from "./scripted-call.ts";

interface Received {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A scripted call over a network that the test cuts. `received`: the messages that reached the client, over all connections. */
export function lossyCall(script: Script = {}) {
  const received: Received[] = [];
  /** Speech that reached the client over the current connection. */
  let pieces = 0;
  let isCut = false;
  let aliveMs: number | undefined;
  const call = scriptedCall({
    ...script,
    onSend: (type, data) => {
      if (isCut) return;
      if (type === "tts_chunk") pieces += 1;
      received.push({ type, data });
      script.onSend?.(type, data);
    },
  });
  const { clock } = call;
  // A spread would keep the first session.
  return Object.assign(call, {
    received,
    /** The network is cut. The server does not know yet, and hears nothing. */
    cut() {
      isCut = true;
      aliveMs = clock.nowMs();
    },
    /** The server learns that the connection is lost. */
    async lose() {
      isCut = true;
      call.session.detach(aliveMs ?? clock.nowMs());
      await call.settle();
    },
    /** @param isCounting The client counts the pieces of speech. */
    async back(isCounting = true): Promise<Restored> {
      const restored = call.session.recover(isCounting ? pieces : undefined);
      pieces = 0;
      isCut = false;
      aliveMs = undefined;
      call.session.attach();
      await call.settle();
      return restored;
    },
    /** The texts of all replies that reached the client with at least one piece of speech or words, in order. */
    texts: () =>
      received.filter(({ type }) => type === "llm_response_chunk").map(({ data }) => data["content"] as string),
  });
}
