import { EventEmitter } from "node:events";
import type { GrpcCall } from "@orchernetes/http2/grpc";
import { GrpcError, GrpcStatus } from "@orchernetes/http2/grpc";
import type { IDuplexStream } from "etcd3/lib/rpc.js";

/** Received messages that may wait for {@link EtcdStream.messages} before the connection is paused. */
const WAITING_MESSAGES = 64;

/** Pauses and resumes the connection of an {@link EtcdStream}. */
export interface FlowControl {
  pause(): void;
  resume(): void;
}

/**
 * A streaming call of etcd, as etcd3's clients return it: emits `data` for each message, then `end` or `error`.
 * {@link messages} is the same with flow control, for large responses such as a snapshot.
 */
export class EtcdStream<Request, Response> extends EventEmitter implements IDuplexStream<Request, Response> {
  readonly #encode: (request: Request) => Uint8Array;
  readonly #flow: FlowControl;
  #call: GrpcCall | undefined;
  #open = true;

  constructor(encode: (request: Request) => Uint8Array, flow: FlowControl) {
    super();
    this.#encode = encode;
    this.#flow = flow;
  }

  /** Whether requests can be written. */
  get writable(): boolean {
    return this.#open;
  }

  /**
   * Sets the call that messages are sent on.
   *
   * @param call its sink calls {@link received} and {@link ended}
   */
  begin(call: GrpcCall): void {
    this.#call = call;
  }

  write(request: Request): void {
    if (this.#open) this.#call?.send(this.#encode(request));
  }

  /** Ends the sending side; the server ends the call when it has responded. */
  end(): void {
    this.#open = false;
    this.#call?.finish();
  }

  cancel(): void {
    this.#open = false;
    this.#call?.cancel(new GrpcError(GrpcStatus.cancelled, "the call was cancelled"));
  }

  received(response: Response): void {
    this.emit("data", response);
  }

  ended(error: Error | undefined): void {
    this.#open = false;
    if (error === undefined) this.emit("end");
    else if (this.listenerCount("error") > 0) this.emit("error", error);
  }

  /**
   * The responses. The connection is paused while too many of them wait. It must be called at once, by the only user
   * of the connection. Leaving the loop cancels the call.
   *
   * @throws the error of the call
   */
  async *messages(): AsyncGenerator<Response> {
    const waiting: Response[] = [];
    let over = false;
    let failure: Error | undefined;
    let wake = () => {};
    this.on("data", (response: Response) => {
      waiting.push(response);
      if (waiting.length >= WAITING_MESSAGES) this.#flow.pause();
      wake();
    });
    const finished = (error?: Error) => {
      over = true;
      failure = error;
      wake();
    };
    this.on("end", () => finished());
    this.on("error", finished);
    try {
      for (;;) {
        const next = waiting.shift();
        if (next !== undefined) {
          if (waiting.length === 0) this.#flow.resume();
          yield next;
        } else if (!over) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        } else if (failure !== undefined) throw failure;
        else return;
      }
    } finally {
      this.#flow.resume();
      if (!over) this.cancel();
    }
  }
}
