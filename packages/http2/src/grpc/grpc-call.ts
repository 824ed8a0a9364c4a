import type { GrpcError } from "./grpc-error.ts";

/** Receives what the server sends in a call. Neither method may throw. */
export interface CallSink {
  /** Called with a complete message in separate memory, which the receiver may keep. */
  onMessage(message: Buffer): void;
  /** The last call; undefined means that the server ended the call with status OK. */
  onEnd(error: GrpcError | undefined): void;
}

/** One call on a connection. */
export interface GrpcCall {
  /** Sends a message; without effect after the end or after {@link finish}. */
  send(message: Uint8Array): void;
  /** Ends the sending side; the server may still send. Idempotent. */
  finish(): void;
  /** Cancels the call: its sink ends at once, and the server is notified as soon as possible. */
  cancel(error: GrpcError): void;
}
