import type { CallSink, GrpcCall } from "@orchernetes/http2/grpc";

/** The peer of a connection. */
export interface GrpcTarget {
  readonly host: string;
  readonly port: number;
  /** TLS material in PEM; absent means plain text. */
  readonly tls?: { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer };
}

/**
 * One HTTP/2 connection for concurrent gRPC calls. A connection that breaks or receives GOAWAY is not repaired: it becomes unusable,
 * its calls end with `UNAVAILABLE`, and its owner creates another. {@link LeanConnection} is the one in use; {@link NodeConnection} is
 * the plain reference against which it is tested.
 */
export interface GrpcConnection {
  /** Whether new calls can be made. */
  readonly usable: boolean;
  /**
   * Starts a call.
   *
   * @param path `/service/method`
   * @param only the single message of a unary call; undefined if messages are sent by {@link GrpcCall.send}
   * @param timeoutMs time limit of the whole call in milliseconds, including the wait for the connection
   */
  call(path: string, only: Uint8Array | undefined, timeoutMs: number, sink: CallSink): GrpcCall;
  /** Sends now what it would send at the end of this turn of the event loop. @default everything is sent at once */
  flush?(): void;
  /** Stops reading what the server sends, for all calls, until {@link resume}. */
  pause(): void;
  resume(): void;
  /** Ends all calls. Idempotent. */
  close(): void;
}

/** Creates connections; each starts to connect at once, and its calls wait until it is established. */
export type Connect = (target: GrpcTarget) => GrpcConnection;

/** The `:authority` of a target. */
export function authorityOf({ host, port }: GrpcTarget): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** The name for SNI; addresses have none (RFC 6066, section 3). */
export function serverName(host: string): { readonly servername?: string } {
  return /^[\d.]+$|:/.test(host) ? {} : { servername: host };
}

/** Headers of every call, besides `:method`, `:scheme`, `:path` and `:authority`. */
export function callHeaders(path: string): readonly (readonly [string, string])[] {
  return [
    ["te", "trailers"],
    ["content-type", "application/grpc"],
    // A member that has lost its leader ends the watch, so that another member is used.
    ...(path.endsWith("/Watch") ? ([["hasleader", "true"]] as const) : []),
  ];
}
