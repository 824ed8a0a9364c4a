import {
  type ConnectionError,
  type Header,
  type RequestStream,
  type ResponseHandler,
  type ResponseHeaders,
  responseHeaders,
} from "@orchernetes/http2";
import { timedOut } from "./exchange.ts";
import { ResponseBody } from "./response-body.ts";
import type { SharedAborts } from "./shared-aborts.ts";
import type { TransportRequest, TransportResponse } from "./transport.ts";
import { transportError } from "./transport-error.ts";
import { WholeResponse } from "./whole-response.ts";

/**
 * Bytes up to which a body is waited for, so that no stream has to be made for it: nearly all responses but lists and watches are
 * shorter. Less than the window of a stream, so that it always arrives.
 */
const WHOLE_BYTES = 64 * 1024;

/** A response is malformed if its body is longer or shorter than it says (RFC 9113, section 8.1.1). */
const wrongLength = (): Error =>
  Object.assign(new Error("the body is not as long as its header says"), { code: "EPROTO" });

/** What an exchange needs to know of its connection. */
interface ExchangeOwner {
  /** `https://host:port` and the base path, for messages. */
  readonly address: string;
  /** Whether a response has arrived on the connection. */
  served: boolean;
  readonly aborts: SharedAborts;
}

/** A request over HTTP/2 and its response; the timeout and the signal of the request end it. */
export class Http2Exchange implements ResponseHandler {
  /** Resolves with the response: its header at least. */
  readonly response: Promise<TransportResponse>;
  readonly #owner: ExchangeOwner;
  readonly #request: TransportRequest;
  readonly #settled = Promise.withResolvers<TransportResponse>();
  /** Whether the connection had served others before. */
  readonly #isReused: boolean;
  #stream: RequestStream | undefined;
  #timer: NodeJS.Timeout | undefined;
  #status = 0;
  #headers: ResponseHeaders = {};
  /** The parts of a body that is waited for, or the body that is read as it arrives. */
  #parts: Buffer[] | undefined;
  /** Bytes of that body that have not arrived. */
  #missing = 0;
  #body: ResponseBody | undefined;

  constructor(owner: ExchangeOwner, request: TransportRequest) {
    this.#owner = owner;
    this.#request = request;
    this.#isReused = owner.served;
    this.response = this.#settled.promise;
  }

  /** Called when the request has been sent. */
  begin(stream: RequestStream): void {
    const { timeoutMs, signal } = this.#request;
    this.#stream = stream;
    if (timeoutMs > 0) this.#timer = setTimeout(() => this.#cancel(timedOut(timeoutMs)), timeoutMs);
    if (signal !== undefined) this.#owner.aborts.add(signal, this);
  }

  onHeaders(status: number, fields: readonly Header[], isEnd: boolean): void {
    const headers = responseHeaders(fields);
    this.#owner.served = true;
    this.#status = status;
    this.#headers = headers;
    const { stream } = this.#request;
    const length = isEnd ? 0 : Number(headers["content-length"]);
    if (stream !== true && length <= WHOLE_BYTES) {
      this.#parts = [];
      this.#missing = length;
      return;
    }
    if (this.#stream === undefined) return;
    const body = new ResponseBody(this.#stream);
    this.#body = body;
    // A watch lasts for minutes; only its beginning is limited.
    if (stream) clearTimeout(this.#timer);
    body.once("close", () => this.#settle());
    this.#settled.resolve({ statusCode: status, headers, body });
  }

  onData(part: Buffer): void {
    if (this.#body !== undefined) {
      this.#body.add(part);
      return;
    }
    this.#parts?.push(part);
    this.#missing -= part.length;
    if (this.#missing < 0) this.#cancel(wrongLength());
  }

  onEnd(): void {
    if (this.#body !== undefined) {
      this.#body.complete();
      return;
    }
    if (this.#missing > 0) {
      this.#fail(wrongLength(), false);
      return;
    }
    this.#settle();
    const [first, ...more] = this.#parts ?? [];
    const whole = first === undefined ? Buffer.alloc(0) : more.length === 0 ? first : Buffer.concat([first, ...more]);
    this.#settled.resolve(new WholeResponse(this.#status, this.#headers, whole));
  }

  onFailure(error: ConnectionError): void {
    this.#fail(error, error.isUnprocessed);
  }

  aborted(): void {
    const reason: unknown = this.#request.signal?.reason;
    this.#settled.reject(reason);
    if (this.#body !== undefined) this.#body.destroy();
    else this.#cancel(reason instanceof Error ? reason : new Error("aborted"));
  }

  #cancel(error: Error): void {
    this.#stream?.cancel();
    this.#fail(error, false);
  }

  #fail(error: Error, isUnprocessed: boolean): void {
    if (this.#body !== undefined) {
      this.#body.destroy(error);
      return;
    }
    this.#settle();
    const { method, path } = this.#request;
    const isStarted = this.#parts !== undefined;
    this.#settled.reject(
      transportError(method, this.#owner.address + path, error, {
        // A response that began says that the server has processed the request.
        reused: this.#isReused && !isStarted,
        ...(isUnprocessed && !isStarted ? { sent: false } : {}),
      }),
    );
  }

  #settle(): void {
    clearTimeout(this.#timer);
    const { signal } = this.#request;
    if (signal !== undefined) this.#owner.aborts.delete(signal, this);
  }
}
