/** The error codes CANCEL and REFUSED_STREAM (RFC 9113, section 7). */
export const CANCEL = 8;
export const REFUSED_STREAM = 7;

/** The header of a response. A field that occurs several times has its values joined by a comma, `set-cookie` a list of them. */
export type ResponseHeaders = Record<string, string | string[] | undefined>;

/** Why a connection or a request on it ended. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  /** As the errors of Node: `ECONNRESET`, `ETIMEDOUT`, `EPROTO`, `ERR_HTTP2_STREAM_ERROR`. */
  readonly code: string;
  /** True when the server has not processed the request, so that any may be sent again (RFC 9113, section 8.7). */
  readonly isUnprocessed: boolean;

  constructor(
    message: string,
    code: string,
    options: { readonly isUnprocessed?: boolean; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.isUnprocessed = options.isUnprocessed ?? false;
  }
}

/** Receives the response of one request. What it throws ends the connection. */
export interface ResponseHandler {
  /** Called once, with the final header. @param isEnd whether there is no body */
  onHeaders(status: number, headers: ResponseHeaders, isEnd: boolean): void;
  /** Called with each part of the body; a view into what was received. {@link RequestStream.consumed} must be told of it later. */
  onData(part: Buffer): void;
  /** Called when the body is complete, also if it is empty. Nothing is called afterwards. */
  onEnd(): void;
  /** Called when the response is lost, in whole or in part. Nothing is called afterwards. */
  onFailure(error: ConnectionError): void;
}

/** What a stream needs of its connection. */
interface StreamOwner {
  /** Sends a WINDOW_UPDATE for the stream. */
  grant(stream: RequestStream, bytes: number): void;
  cancel(stream: RequestStream): void;
}

/** One request and its response. */
export class RequestStream {
  readonly id: number;
  readonly handler: ResponseHandler;
  /** Bytes that may still be sent. */
  window: number;
  /** The part of the request's body that flow control holds back. */
  unsent: Buffer | undefined;
  hasHeaders = false;
  ended = false;
  readonly #owner: StreamOwner;
  /** Bytes that the server may still send. */
  #receiveWindow: number;
  readonly #receiveLimit: number;
  /** Bytes that were read, but that the server does not know of yet. */
  #consumed = 0;

  constructor(
    owner: StreamOwner,
    options: {
      readonly id: number;
      readonly window: number;
      readonly receiveWindow: number;
      readonly handler: ResponseHandler;
    },
  ) {
    this.#owner = owner;
    this.id = options.id;
    this.window = options.window;
    this.#receiveWindow = options.receiveWindow;
    this.#receiveLimit = options.receiveWindow;
    this.handler = options.handler;
  }

  /** Counts what the server sent. @throws RangeError if it was not allowed to */
  received(bytes: number): void {
    this.#receiveWindow -= bytes;
    if (this.#receiveWindow < 0) throw new RangeError("the server sent more than the window of a stream");
  }

  /** Tells that so many bytes of the body have been read: the server may send as many more. */
  consumed(bytes: number): void {
    this.#consumed += bytes;
    if (this.ended || this.#consumed < this.#receiveLimit / 2) return;
    this.#receiveWindow += this.#consumed;
    this.#owner.grant(this, this.#consumed);
    this.#consumed = 0;
  }

  /** Ends the request without calling the handler, and tells the server. */
  cancel(): void {
    this.#owner.cancel(this);
  }
}
