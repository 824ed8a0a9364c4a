import { readFileSync } from "node:fs";
import type { CallSink, GrpcCall } from "@orchernetes/http2/grpc";
import { GrpcError, GrpcStatus } from "@orchernetes/http2/grpc";
import { type Dialer, messageOf } from "@orchernetes/kernel";
import { isStoreError, StoreError } from "../errors.ts";
import type { Connect, GrpcConnection, GrpcTarget } from "./http2/connection.ts";
import { LeanConnection } from "./http2/lean-connection.ts";
import { toStoreError } from "./store-error.ts";

/** The servers of an etcd cluster, and how to connect to them. */
export interface EndpointsOptions {
  /** `http://host:port` or `https://host:port`, all of one cluster. */
  readonly servers: readonly string[];
  /** PEM files for https. They are read for each new connection, so a renewed pair needs no restart. */
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly requestTimeoutMs: number;
  /** Opens the connections. @default directly */
  readonly dial?: Dialer | undefined;
  /** @default a {@link LeanConnection} */
  readonly connect?: Connect;
}

/** The options of one call. */
export interface CallSettings {
  readonly signal?: AbortSignal | undefined;
  /** @default {@link EndpointsOptions.requestTimeoutMs} */
  readonly timeoutMs?: number | undefined;
  /** Whether a failed call may be repeated on another server: only for reads and idempotent calls. @default false */
  readonly retry?: boolean | undefined;
}

/** A streaming call and its connection. */
export interface StreamCall {
  readonly call: GrpcCall;
  readonly connection: GrpcConnection;
}

/** Milliseconds between attempts. */
const RETRY_PAUSE_MS = 50;
/**
 * When an attempt with less time than this (milliseconds) reaches the deadline, the error of the attempt before it is
 * reported: it says more than that the time was over.
 */
const MIN_ATTEMPT_MS = 1000;

/**
 * The servers of one etcd cluster. Calls go to one of them until it fails, then to the next. All stay on one server,
 * instead of being distributed, so that there is one connection.
 */
export class Endpoints {
  readonly #targets: readonly (() => GrpcTarget)[];
  readonly #connections: (GrpcConnection | undefined)[] = [];
  readonly #connect: Connect;
  readonly #requestTimeoutMs: number;
  #current = 0;
  #closed = false;

  constructor(options: EndpointsOptions) {
    if (options.servers.length === 0) throw new TypeError("etcd: at least one server is needed");
    this.#requestTimeoutMs = options.requestTimeoutMs;
    this.#targets = options.servers.map((server) => targetOf(server, options));
    this.#connect = options.connect ?? ((target) => new LeanConnection(target, options.dial));
    // An invalid address is reported immediately.
    for (const target of this.#targets) target();
  }

  /**
   * Makes one call.
   *
   * @param path `/service/method`
   * @returns the result of `decode` for the response; an error that it throws fails the call
   * @throws StoreError whose cause is an error of etcd3
   */
  async call<Response>(
    path: string,
    message: Uint8Array,
    decode: (received: Buffer) => Response,
    { signal, timeoutMs = this.#requestTimeoutMs, retry = false }: CallSettings = {},
  ): Promise<Response> {
    const deadline = Date.now() + timeoutMs;
    let before: StoreError | undefined;
    for (;;) {
      const used = this.#current;
      const began = Date.now();
      try {
        // A server that hangs may only use its share of the time, so that the others are tried as well.
        const part = retry ? began + timeoutMs / this.#targets.length : deadline;
        return await this.#once(path, message, decode, Math.min(part, deadline), signal);
      } catch (cause) {
        const error = toStoreError(`call ${path}`, cause);
        if (error.reason !== "Unavailable" && error.reason !== "Timeout") throw error;
        if (this.#current === used) this.#current = (used + 1) % this.#targets.length;
        if (!retry || this.#closed || signal?.aborted || Date.now() + RETRY_PAUSE_MS >= deadline) {
          const cutShort = error.reason === "Timeout" && deadline - began < MIN_ATTEMPT_MS;
          throw cutShort ? (before ?? error) : error;
        }
        before = error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS));
      }
    }
  }

  /**
   * Starts a streaming call to the current server.
   *
   * @throws StoreError `Unavailable` when no connection can be made
   */
  stream(path: string, sink: CallSink): StreamCall {
    const connection = this.#connection();
    return { connection, call: connection.call(path, undefined, Number.POSITIVE_INFINITY, sink) };
  }

  /** Sends now what calls to the current server have left to be sent at the end of this turn of the event loop. */
  flush(): void {
    this.#connections[this.#current]?.flush?.();
  }

  /** Switches to the next server after a stream of the current one has failed. */
  failed(): void {
    this.#current = (this.#current + 1) % this.#targets.length;
  }

  /** Closes all connections; calls in flight fail, and later ones throw `Unavailable`. */
  close(): void {
    this.#closed = true;
    for (const connection of this.#connections) connection?.close();
  }

  #once<Response>(
    path: string,
    message: Uint8Array,
    decode: (received: Buffer) => Response,
    deadline: number,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(new StoreError("Unavailable", `etcd: call ${path} was cancelled`, { cause: signal.reason }));
        return;
      }
      const connection = this.#connection();
      let received: Buffer | undefined;
      const call = connection.call(path, message, deadline - Date.now(), {
        onMessage(bytes) {
          received = bytes;
        },
        onEnd(error) {
          signal?.removeEventListener("abort", cancel);
          if (error !== undefined) reject(error);
          else if (received === undefined) reject(new GrpcError(GrpcStatus.unknown, "the server sent no message"));
          else {
            try {
              resolve(decode(received));
            } catch (cause) {
              reject(new GrpcError(GrpcStatus.unknown, "the server's message cannot be read", { cause }));
            }
          }
        },
      });
      const cancel = () => call.cancel(new GrpcError(GrpcStatus.cancelled, `call ${path} was cancelled`));
      signal?.addEventListener("abort", cancel, { once: true });
    });
  }

  /** Returns a connection to the current server; a new one if the last one accepts no more calls. @throws StoreError */
  #connection(): GrpcConnection {
    const target = this.#targets[this.#current];
    if (this.#closed || target === undefined) throw new StoreError("Unavailable", "the etcd store is closed");
    let connection = this.#connections[this.#current];
    if (connection === undefined || !connection.usable) {
      try {
        connection = this.#connect(target());
      } catch (cause) {
        // For example, certificate files that are being replaced.
        throw toStoreError("connect", cause);
      }
      this.#connections[this.#current] = connection;
    }
    return connection;
  }
}

/** Whether an operation may be repeated later, because the engine may become available again. */
export function isTransient(error: unknown): boolean {
  return isStoreError(error, "Unavailable") || isStoreError(error, "Timeout");
}

/**
 * @throws TypeError for a text that is not the URL of a server
 * @returns a function that throws a StoreError `Unavailable` when a file cannot be read
 */
function targetOf(server: string, { caFile, certFile, keyFile }: EndpointsOptions): () => GrpcTarget {
  const { protocol, hostname, port } = new URL(server.includes("://") ? server : `http://${server}`);
  const secure = protocol === "https:";
  const target = {
    host: hostname.startsWith("[") ? hostname.slice(1, -1) : hostname,
    port: port === "" ? (secure ? 443 : 80) : Number(port),
  };
  if (!secure) return () => target;
  return () => ({
    ...target,
    tls: {
      ...(caFile === undefined ? {} : { ca: read(caFile) }),
      ...(certFile === undefined ? {} : { cert: read(certFile) }),
      ...(keyFile === undefined ? {} : { key: read(keyFile) }),
    },
  });
}

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    const why = messageOf(cause);
    throw new StoreError("Unavailable", `etcd: cannot read "${file}": ${why}`, { cause });
  }
}
