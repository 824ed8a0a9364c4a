import { readFileSync } from "node:fs";
import { type ChannelCredentials, type ClientDuplexStream, credentials, Metadata } from "@grpc/grpc-js";
import { Host } from "etcd3/lib/connection-pool.js";
import { isStoreError, StoreError } from "../errors.ts";
import { etcdFault } from "./fault.ts";
import { type Rpc, type WatchResponse, watch } from "./messages.ts";

/** Where etcd is, and how to speak to it. */
export interface EndpointsOptions {
  /** `http://host:port` or `https://host:port`, all of one cluster. */
  readonly servers: readonly string[];
  /** PEM files for https. */
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly requestTimeoutMs: number;
}

/** A watch stream. */
export type WatchCall = ClientDuplexStream<Parameters<typeof watch.encode>[0], WatchResponse>;

/** One call's options. */
export interface CallSettings {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
  /** Whether the call may be made again on another server after it failed: reads only. */
  readonly retry: boolean;
}

const CHANNEL = {
  "grpc.max_receive_message_length": -1,
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 2000,
  "grpc.keepalive_time_ms": 30_000,
  "grpc.keepalive_timeout_ms": 10_000,
  // This class decides what is tried again.
  "grpc.enable_retries": 0,
  // The default of 64 KiB makes a large list wait for a round trip per window.
  "grpc-node.flow_control_window": 8 << 20,
};
const RETRY_PAUSE_MS = 50;

/** The servers of one etcd. Calls go to one of them until it fails, then to the next; nothing waits for anything else. */
export class Endpoints {
  readonly #hosts: readonly Host[];
  readonly #requestTimeoutMs: number;
  readonly #metadata = new Metadata();
  /** A member that is cut off from the others ends such a stream instead of keeping it silent. */
  readonly #leaderMetadata = new Metadata();
  #current = 0;
  #closed = false;

  constructor(options: EndpointsOptions) {
    if (options.servers.length === 0) throw new TypeError("etcd: at least one server is needed");
    this.#requestTimeoutMs = options.requestTimeoutMs;
    this.#leaderMetadata.set("hasleader", "true");
    this.#hosts = options.servers.map((server) => new Host(server, credentialsFor(server, options), CHANNEL));
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
    for (;;) {
      const used = this.#current;
      try {
        // A server that hangs may take its part of the time only, so that the others are asked as well.
        const part = retry ? Date.now() + timeoutMs / this.#hosts.length : deadline;
        return await this.#once(rpc, message, Math.min(part, deadline), signal);
      } catch (cause) {
        const error = etcdFault(`call ${rpc.path}`, cause);
        if (error.reason !== "Unavailable" && error.reason !== "Timeout") throw error;
        if (this.#current === used) this.#current = (used + 1) % this.#hosts.length;
        if (!retry || this.#closed || signal?.aborted || Date.now() + RETRY_PAUSE_MS >= deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS));
      }
    }
  }

  /** Opens a stream to the present server. */
  watch(): WatchCall {
    return this.#host()
      .getServiceClient("Watch")
      .makeBidiStreamRequest(watch.path, watch.encode, watch.decode, this.#leaderMetadata);
  }

  /** Turns to the next server, as a stream of the present one has failed. */
  failed(): void {
    this.#current = (this.#current + 1) % this.#hosts.length;
  }

  close(): void {
    this.#closed = true;
    for (const host of this.#hosts) host.close();
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
      const client = this.#host().getServiceClient(rpc.service);
      const call = withoutStack(() =>
        client.makeUnaryRequest(
          rpc.path,
          asIs,
          rpc.decode,
          message,
          this.#metadata,
          { deadline },
          (error, response) => {
            signal?.removeEventListener("abort", cancel);
            if (error !== null) reject(error);
            else if (response === undefined && rpc.decode.length > 0) reject(new Error("no response"));
            else resolve(response as Response);
          },
        ),
      );
      const cancel = () => call.cancel();
      signal?.addEventListener("abort", cancel, { once: true });
    });
  }

  #host(): Host {
    const host = this.#hosts[this.#current];
    if (this.#closed || host === undefined) throw new StoreError("Unavailable", "the etcd store is closed");
    return host;
  }
}

function asIs(message: Buffer): Buffer {
  return message;
}

/** grpc-js takes a stack trace at each call, for an error that seldom comes: a tenth of the call's cost, saved here. */
function withoutStack<T>(action: () => T): T {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return action();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/** Whether an operation may be tried again: the engine may come back. */
export function isTransient(error: unknown): boolean {
  return isStoreError(error, "Unavailable") || isStoreError(error, "Timeout");
}

function credentialsFor(server: string, { caFile, certFile, keyFile }: EndpointsOptions): ChannelCredentials {
  if (!server.startsWith("https://")) return credentials.createInsecure();
  const read = (file: string | undefined) => (file === undefined ? null : readFileSync(file));
  return credentials.createSsl(read(caFile), read(keyFile), read(certFile));
}
