import type { ConnectionError } from "./connection-error.ts";
import { MAX_WINDOW } from "./flow-control.ts";
import type { Header } from "./hpack.ts";
import { ReceiveWindow } from "./receive-window.ts";

/** Receives the response of one request. What it throws ends the connection. */
export interface ResponseHandler {
  /** Called once, with the fields of the final header. @param isEnd whether there is no body */
  onHeaders(status: number, fields: readonly Header[], isEnd: boolean): void;
  /** Called with each part of the body; a view into what was received. {@link RequestStream.consumed} must be told of it later. */
  onData(part: Buffer): void;
  /** Called when the body is complete, also if it is empty. Nothing is called afterwards. @param trailers the fields after the body */
  onEnd(trailers: readonly Header[]): void;
  /** Called when the response is lost, in whole or in part. Nothing is called afterwards. */
  onFailure(error: ConnectionError): void;
}

/** What a stream needs of its connection. */
interface StreamOwner {
  /** Sends what is unsent, as far as possible. */
  send(stream: RequestStream): void;
  /** Sends a WINDOW_UPDATE for the stream. */
  grant(stream: RequestStream, bytes: number): void;
  cancel(stream: RequestStream): void;
}

/** The windows with which a stream begins, in bytes. */
export interface StreamWindows {
  readonly send: number;
  readonly receive: number;
}

/** One request and its response. */
export class RequestStream {
  readonly id: number;
  readonly handler: ResponseHandler;
  /** Bytes that may still be sent. */
  window: number;
  /** The parts of the request's body that flow control holds back. */
  unsent: Buffer[] | undefined;
  /** Whether nothing follows what is unsent. */
  isFinished: boolean;
  /** Whether the end of the request was sent. */
  isSent = false;
  hasHeaders = false;
  ended = false;
  readonly #owner: StreamOwner;
  readonly #receiveWindow: ReceiveWindow;

  /**
   * @param id not used before
   * @param isFinished whether the whole request is sent at once
   */
  constructor(owner: StreamOwner, id: number, windows: StreamWindows, isFinished: boolean, handler: ResponseHandler) {
    this.#owner = owner;
    this.id = id;
    this.window = windows.send;
    this.isFinished = isFinished;
    this.#receiveWindow = new ReceiveWindow(windows.receive);
    this.handler = handler;
  }

  /** Sends a further part of the body; without effect after the end and after {@link finish}. */
  send(part: Buffer): void {
    if (this.ended || this.isFinished || part.length === 0) return;
    this.hold(part);
    this.#owner.send(this);
  }

  /** Called by the connection: a part of the body waits to be sent. */
  hold(part: Buffer): void {
    if (this.unsent === undefined) this.unsent = [part];
    else this.unsent.push(part);
  }

  /** Called by the connection: so many bytes of the first part that waited are sent. */
  sent(bytes: number): void {
    const first = this.unsent?.[0];
    if (this.unsent === undefined || first === undefined) return;
    if (bytes < first.length) this.unsent[0] = first.subarray(bytes);
    else if (this.unsent.length > 1) this.unsent.shift();
    else this.unsent = undefined;
  }

  /** Ends the body; the server may still send. Idempotent. */
  finish(): void {
    if (this.ended || this.isFinished) return;
    this.isFinished = true;
    this.#owner.send(this);
  }

  /** The server accepts more bytes, or less. @throws RangeError if they are too many */
  widen(by: number): void {
    this.window += by;
    if (this.window > MAX_WINDOW) throw new RangeError("the window of a stream is too large");
  }

  /** Counts what the server sent. @throws RangeError if it was not allowed to */
  received(bytes: number): void {
    if (!this.#receiveWindow.received(bytes)) throw new RangeError("the server sent more than the window of a stream");
  }

  /** Tells that so many bytes of the body have been read: the server may send as many more. */
  consumed(bytes: number): void {
    const granted = this.#receiveWindow.consumed(bytes);
    if (granted > 0 && !this.ended) this.#owner.grant(this, granted);
  }

  /** Ends the request without calling the handler, and tells the server. */
  cancel(): void {
    this.#owner.cancel(this);
  }

  /** Called by the connection: the request is over. */
  end(): void {
    this.ended = true;
    this.unsent = undefined;
  }
}
