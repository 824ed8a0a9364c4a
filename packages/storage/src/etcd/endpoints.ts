import { readFileSync } from "node:fs";
import { isStoreError, StoreError } from "../errors.ts";
import { etcdFault } from "./fault.ts";
import { GrpcConnection, type GrpcTarget } from "./http2/grpc-connection.ts";
import { GrpcError, GrpcStatus } from "./http2/grpc-error.ts";
import { type Rpc, type WatchResponse, watch } from "./messages.ts";

/** Where etcd is, and how to speak to it. */
export interface EndpointsOptions {
  /** `http://host:port` or `https://host:port`, all of one cluster. */
  readonly servers: readonly string[];
  /** PEM files for https. Read for each new connection: a renewed pair needs no restart. */
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly requestTimeoutMs: number;
}

/** Who hears of a watch stream. */
export interface WatchSink {
  onResponse(response: WatchResponse): void;
  /** The last call, unless cancelled by its owner. */
  onEnd(error: StoreError): void;
}

/** A watch stream. */
export interface WatchCall {
  /** Idempotent; the sink is not called again. */
  cancel(): void;
}

/** One call's options. */
export interface CallSettings {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
  /** Whether the call may be made again on another server after it failed: reads only. */
  readonly retry: boolean;
}

const RETRY_PAUSE_MS = 50;
/** An attempt with less time than this, ended by its deadline, tells nothing: the failure before it does. */
const TELLING_MS = 1000;

/** The servers of one etcd. Calls go to one of them until it fails, then to the next; nothing waits for anything else. */
export class Endpoints {
  readonly #targets: readonly (() => GrpcTarget)[];
  readonly #connections: (GrpcConnection | undefined)[] = [];
  readonly #requestTimeoutMs: number;
  #current = 0;
  #closed = false;

  constructor(options: EndpointsOptions) {
    if (options.servers.length === 0) throw new TypeError("etcd: at least one server is needed");
    this.#requestTimeoutMs = options.requestTimeoutMs;
    this.#targets = options.servers.map((server) => targetOf(server, options));
    // What cannot be used is told at once.
    for (const target of this.#targets) target();
  }

  /**
   * Makes one call.
   *
   * @throws StoreError
   */
  async call<Request, Response>(
    rpc: Rpc<Request, Response>,
    request: Request,
    { signal, timeoutMs = this.#requestTimeoutMs, retry }: CallSettings,
  ): Promise<Response> {
    const message = rpc.encode(request);
    const deadline = Date.now() + timeoutMs;
    let before: StoreError | undefined;
    for (;;) {
      const used = this.#current;
      const began = Date.now();
      try {
        // A server that hangs may take its part of the time only, so that the others are asked as well.
        const part = retry ? began + timeoutMs / this.#targets.length : deadline;
        return await this.#once(rpc, message, Math.min(part, deadline), signal);
      } catch (cause) {
        const error = etcdFault(`call ${rpc.path}`, cause);
        if (error.reason !== "Unavailable" && error.reason !== "Timeout") throw error;
        if (this.#current === used) this.#current = (used + 1) % this.#targets.length;
        if (!retry || this.#closed || signal?.aborted || Date.now() + RETRY_PAUSE_MS >= deadline) {
          const cutShort = error.reason === "Timeout" && deadline - began < TELLING_MS;
          throw cutShort ? (before ?? error) : error;
        }
        before = error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS));
      }
    }
  }

  /** Opens a watch to the present server. */
  watch(request: Parameters<typeof watch.encode>[0], sink: WatchSink): WatchCall {
    let over = false;
    const end = (error: StoreError) => {
      if (over) return;
      over = true;
      sink.onEnd(error);
    };
    let connection: GrpcConnection;
    try {
      connection = this.#connection();
    } catch (error) {
      // Never inside the caller's frame.
      queueMicrotask(() => end(etcdFault("watch", error)));
      return {
        cancel() {
          over = true;
        },
      };
    }
    const stream = connection.call(watch.path, undefined, Number.POSITIVE_INFINITY, {
      onMessage(message) {
        if (over) return;
        let response: WatchResponse;
        try {
          response = watch.decode(message);
        } catch (error) {
          end(new StoreError("Corrupt", "etcd: cannot read what the watch stream brings", { cause: error }));
          return;
        }
        sink.onResponse(response);
      },
      onEnd: (error) =>
        end(
          error === undefined
            ? new StoreError("Unavailable", "etcd: the watch stream has ended")
            : etcdFault("watch", error),
        ),
    });
    connection.send(stream, watch.encode(request));
    return {
      cancel() {
        over = true;
        connection.cancel(stream, given("the watch"));
      },
    };
  }

  /** Turns to the next server, as a stream of the present one has failed. */
  failed(): void {
    this.#current = (this.#current + 1) % this.#targets.length;
  }

  close(): void {
    this.#closed = true;
    for (const connection of this.#connections) connection?.close();
  }

  #once<Response>(
    rpc: Rpc<never, Response>,
    message: Buffer,
    deadline: number,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(new StoreError("Unavailable", `etcd: call ${rpc.path} was given up`, { cause: signal.reason }));
        return;
      }
      const connection = this.#connection();
      let answer: Buffer | undefined;
      const stream = connection.call(rpc.path, message, deadline - Date.now(), {
        onMessage(received) {
          answer = received;
        },
        onEnd(error) {
          signal?.removeEventListener("abort", cancel);
          if (error !== undefined) reject(error);
          else if (answer === undefined) reject(new GrpcError(GrpcStatus.unknown, "the server sent no message"));
          else {
            try {
              resolve(rpc.decode(answer));
            } catch (cause) {
              reject(new GrpcError(GrpcStatus.unknown, "the server's message cannot be read", { cause }));
            }
          }
        },
      });
      const cancel = () => connection.cancel(stream, given(`call ${rpc.path}`));
      signal?.addEventListener("abort", cancel, { once: true });
    });
  }

  /** To the present server; made anew if the last one is of no more use. @throws StoreError */
  #connection(): GrpcConnection {
    const target = this.#targets[this.#current];
    if (this.#closed || target === undefined) throw new StoreError("Unavailable", "the etcd store is closed");
    let connection = this.#connections[this.#current];
    if (connection === undefined || !connection.usable) {
      try {
        connection = new GrpcConnection(target());
      } catch (cause) {
        // Files that are just being replaced, for example.
        throw etcdFault("connect", cause);
      }
      this.#connections[this.#current] = connection;
    }
    return connection;
  }
}

function given(what: string): GrpcError {
  return new GrpcError(GrpcStatus.cancelled, `${what} was given up`);
}

/** Whether an operation may be tried again: the engine may come back. */
export function isTransient(error: unknown): boolean {
  return isStoreError(error, "Unavailable") || isStoreError(error, "Timeout");
}

/**
 * @throws TypeError for what is no URL of a server
 * @returns what throws a StoreError `Unavailable` when a file cannot be read
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
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new StoreError("Unavailable", `etcd: cannot read "${file}": ${why}`, { cause });
  }
}
