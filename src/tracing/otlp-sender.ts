import type { OtlpConfig } from "../config/server-config.ts";
import { reasonOf } from "../egress/causes.ts";
import type { Egress } from "../egress/egress.ts";
import { FailureReporter } from "../shared/failure-reporter.ts";
import type { Log } from "../shared/log.ts";

const TIMEOUT_MS = 10_000;
/** `ExportResultCode` of OpenTelemetry. */
const SUCCESS = 0;
const FAILED = 1;

export interface OtlpTarget {
  /** The address for one kind of data, such as `http://otel.lan:4318/v1/traces`. */
  readonly url: URL;
  readonly token: string | undefined;
  readonly protocol: OtlpConfig["protocol"];
}

export interface OtlpOptions extends OtlpTarget {
  readonly egress: Pick<Egress, "fetch">;
  readonly log: Log;
  /** The name of the data in the log: "spans". */
  readonly what: string;
}

interface Serializers<Data> {
  readonly json: { readonly serializeRequest: (data: Data) => Uint8Array | undefined };
  readonly protobuf: { readonly serializeRequest: (data: Data) => Uint8Array | undefined };
}

type Report = (result: { readonly code: number }) => void;

/** Sends data as OTLP over HTTP, by the program's only way out. Data that is not delivered is dropped, with a line in the log. */
export class OtlpSender {
  readonly #options: OtlpOptions;
  readonly #scope = new AbortController();
  readonly #failures: FailureReporter;

  constructor(options: OtlpOptions) {
    this.#options = options;
    const { log, what } = options;
    this.#failures = new FailureReporter((error) => log.warn({ reason: String(error) }, `${what} could not be sent`));
  }

  /** @param dropped Called when the receiver did not take it. */
  send<Data>(data: Data, as: Serializers<Data>, report: Report, dropped: () => void = () => undefined): void {
    const { serializeRequest } = this.#options.protocol === "http/json" ? as.json : as.protobuf;
    const body = serializeRequest(data);
    const delivered = () => {
      this.#failures.succeeded();
      report({ code: SUCCESS });
    };
    const failed = (error: unknown) => {
      dropped();
      this.#failures.failed(reasonOf(this.#options.url.host, error).message);
      report({ code: FAILED });
    };
    (body === undefined ? Promise.resolve() : this.#post(body)).then(delivered, failed);
  }

  /** Ends requests that are under way. */
  stop(): void {
    this.#scope.abort();
  }

  async #post(body: Uint8Array): Promise<void> {
    const { url, token, egress, protocol } = this.#options;
    const type = protocol === "http/json" ? "application/json" : "application/x-protobuf";
    const signal = AbortSignal.any([this.#scope.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const headers = { "content-type": type, "user-agent": "oakvoice", ...authorization };
    const { ok, status, body: answer } = await egress.fetch(url, { method: "POST", headers, body, signal });
    await answer?.cancel();
    if (!ok) throw new Error(`status ${String(status)}`);
  }
}
