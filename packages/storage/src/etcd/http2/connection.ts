import type { GrpcError } from "./grpc-error.ts";

/** Where a connection goes. */
export interface GrpcTarget {
  readonly host: string;
  readonly port: number;
  /** PEM; absent: plain text. */
  readonly tls?: { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer };
}

/** Receives what the server sends in a call. Neither method may throw. */
export interface CallSink {
  /** A whole message, in memory of its own. */
  onMessage(message: Buffer): void;
  /** The last call; undefined: the server ended it with status OK. */
  onEnd(error: GrpcError | undefined): void;
}

/** One call on a connection. */
export interface GrpcCall {
  /** Sends a message; nothing after the end or after {@link finish}. */
  send(message: Uint8Array): void;
  /** Says that no more messages are sent; the server may still send. Idempotent. */
  finish(): void;
  /** Ends the call: its sink is told at once, the server as soon as possible. */
  cancel(error: GrpcError): void;
}

/**
 * One HTTP/2 connection that makes gRPC calls, many at a time. A connection that breaks, or is told to go away, is not
 * repaired: it becomes unusable, its calls end with `UNAVAILABLE`, and its owner makes another. {@link LeanConnection} is the
 * one in use, {@link NodeConnection} the plain one it is tested against.
 */
export interface GrpcConnection {
  /** Whether new calls can be made. */
  readonly usable: boolean;
  /**
   * Begins a call.
   *
   * @param path `/service/method`
   * @param only the one message of a call that sends no more; undefined: messages are sent by {@link GrpcCall.send}
   * @param timeoutMs for the whole of it, the wait for the connection included
   */
  call(path: string, only: Uint8Array | undefined, timeoutMs: number, sink: CallSink): GrpcCall;
  /** Stops reading what the server sends, for all calls, until {@link resume}. */
  pause(): void;
  resume(): void;
  /** Ends all calls. Idempotent. */
  close(): void;
}

/** Makes connections; each attempt to connect begins at once, and calls wait for it. */
export type Connect = (target: GrpcTarget) => GrpcConnection;

/** The `:authority` of a target. */
export function authorityOf({ host, port }: GrpcTarget): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** The name that the server's certificate is asked for; addresses have none. */
export function serverName(host: string): { readonly servername?: string } {
  return /^[\d.]+$|:/.test(host) ? {} : { servername: host };
}

/** Headers of every call, besides `:method`, `:scheme`, `:path` and `:authority`. */
export function callHeaders(path: string): readonly (readonly [string, string])[] {
  return [
    ["te", "trailers"],
    ["content-type", "application/grpc"],
    // A member that has lost its leader ends the watch, so that another is asked.
    ...(path.endsWith("/Watch") ? ([["hasleader", "true"]] as const) : []),
  ];
}
