import { lookup as systemLookup, type LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import type { Agent, RequestInit } from "undici";
import { type AllowedHost, egressFault, type HostRule, hostRule, ruleFor } from "./host-rules.ts";
import { AbortScope } from "../shared/abort-scope.ts";
import { causesOf } from "./causes.ts";
import { AddressRefused, AnswerRefused } from "./reasons.ts";

export type { RequestInit, Response } from "undici";

const CONNECT_TIMEOUT_MS = 10_000;
/** Limit for an answer's body, after decompression. */
export const MAX_ANSWER_BYTES = 65_536;
/** Common servers close an idle connection after 5 s. */
const KEEP_MS = 4_000;
const NO_BODY = new Set([204, 205, 304]);

export interface EgressOptions {
  /** Default: the system's resolver. */
  readonly lookup?: typeof systemLookup;
  /** Certificate authorities in PEM. Default: Node's. */
  readonly ca?: string;
  /** Keeps connections open for later requests. Default: each request has a connection of its own. */
  readonly keepsConnections?: boolean;
}

/** The HTTP client. Loaded when it is needed, because it takes 20 MB. */
export const loadHttpClient = () => import("undici");

/** The only way out of the machine. Connects to the hosts of `egress.allowed_hosts`, and checks each address before it connects. */
export class Egress {
  readonly #rules: readonly HostRule[];
  /** One for each request in progress, and one for each rule whose connections are kept. */
  readonly #agents = new Set<Agent>();
  readonly #kept = new Map<HostRule, Agent>();
  readonly #options: EgressOptions;

  constructor(hosts: readonly AllowedHost[], options: EgressOptions = {}) {
    this.#rules = hosts.map(hostRule);
    this.#options = options;
  }

  /** A sentence for the operator. Undefined when the address may be used. */
  fault(url: URL): string | undefined {
    return egressFault(url, this.#rules);
  }

  /**
   * Sends a request. Follows no redirect and uses no proxy. Reading more than `maxBytes` of the answer fails with AnswerRefused. The
   * connection ends with the signal, with an answer that is not read to its end, and with any answer unless connections are kept.
   * @throws AddressRefused, AnswerRefused, and the errors of undici, some as the `cause` of a TypeError.
   */
  async fetch(url: URL, init: RequestInit & { readonly signal: AbortSignal }, maxBytes = MAX_ANSWER_BYTES) {
    const rule = ruleFor(url, this.#rules);
    const fault = this.fault(url);
    if (rule === undefined || fault !== undefined) throw new AddressRefused(fault);
    const { Agent, fetch, Response } = await loadHttpClient();
    const agent = this.#agentFor(rule, Agent);
    const scope = new AbortScope(init.signal);
    const end = (isWhole = false) => {
      if (!isWhole) scope.abort(init.signal.reason);
      scope[Symbol.dispose]();
      if (this.#options.keepsConnections === true) return;
      this.#agents.delete(agent);
      void agent.destroy();
    };
    scope.signal.addEventListener("abort", () => end(), { once: true });
    try {
      const { status, headers, body } = await fetch(url, {
        ...init,
        signal: scope.signal,
        redirect: "manual",
        dispatcher: agent,
      });
      if (status >= 300 && status < 400) throw new AnswerRefused(`status ${String(status)}, a redirect`);
      if (body !== null && !NO_BODY.has(status))
        return new Response(guardBody(body, maxBytes, end), { status, headers });
      end();
      return new Response(null, { status, headers });
    } catch (error) {
      end();
      throw isBlockedPort(error) ? new AddressRefused(`HTTP clients do not connect to port ${url.port}`) : error;
    }
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#agents, (agent) => agent.destroy()));
  }

  #agentFor(rule: HostRule, Kind: typeof Agent): Agent {
    const agent = this.#kept.get(rule) ?? new Kind(this.#agentOptions(rule));
    this.#agents.add(agent);
    if (this.#options.keepsConnections === true) this.#kept.set(rule, agent);
    return agent;
  }

  #agentOptions(rule: HostRule): Agent.Options {
    const { lookup = systemLookup, ca, keepsConnections = false } = this.#options;
    return {
      // 0 closes the connection after the answer.
      pipelining: keepsConnections ? 1 : 0,
      keepAliveTimeout: KEEP_MS,
      keepAliveMaxTimeout: KEEP_MS,
      // The signal limits the time.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { lookup: guarded(lookup, rule), timeout: CONNECT_TIMEOUT_MS, ...(ca === undefined ? {} : { ca }) },
    };
  }
}

/** True when the standard of fetch forbids the port: https://fetch.spec.whatwg.org/#port-blocking. */
const isBlockedPort = (error: unknown): boolean =>
  causesOf(error).some((cause) => cause instanceof Error && cause.message === "bad port");

/** Resolves a name to the addresses that the rule permits. The connection uses this result, so a later answer has no effect. */
function guarded(lookup: typeof systemLookup, rule: HostRule): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const permitted = (error === null ? found : []).filter(({ address }) => rule.permits(address));
      const [first] = permitted;
      if (error !== null) done(error, []);
      else if (first === undefined) done(refusal(hostname, found), []);
      else if (options.all === true) done(null, permitted);
      else done(null, first.address, first.family);
    });
  };
}

const refusal = (hostname: string, found: readonly LookupAddress[]) =>
  new AddressRefused(`${hostname} resolves to ${found.map(({ address }) => address).join(", ")}`);

/** The body, which fails beyond `maxBytes`. Calls `onEnd` after the last piece (with true), an error or a cancellation. */
function guardBody(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  onEnd: (isWhole?: boolean) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let bytes = 0;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        bytes += value?.byteLength ?? 0;
        if (bytes > maxBytes) throw new AnswerRefused(`more than ${String(maxBytes)} bytes`);
        if (!done) return controller.enqueue(value);
        controller.close();
        onEnd(true);
      } catch (error) {
        controller.error(error);
        onEnd();
      }
    },
    async cancel(reason) {
      onEnd();
      await reader.cancel(reason).catch(() => undefined);
    },
  });
}
