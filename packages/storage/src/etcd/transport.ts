import type { CallOptions, Client, Metadata } from "@grpc/grpc-js";
import { GrpcError, GrpcStatus } from "@orchernetes/http2/grpc";
import {
  ClusterClient,
  type EventType,
  type ICallable,
  type IEvent,
  type IWatchCreateRequest,
  type IWatchRequest,
  type IWatchResponse,
  KVClient,
  LeaseClient,
  MaintenanceClient,
  type Services,
} from "etcd3/lib/rpc.js";
import { StoreError } from "../errors.ts";
import { type CallSettings, Endpoints, type EndpointsOptions } from "./endpoints.ts";
import { methodOf, watchMethod } from "./rpc/methods.ts";
import { EtcdStream } from "./rpc/stream.ts";
import { toStoreError } from "./store-error.ts";

/** Options of one call by a client of etcd3; of gRPC's own, only `deadline` has an effect. */
export interface EtcdCallOptions extends CallOptions, CallSettings {}

/** A change in a {@link WatchResponse}. */
export interface WatchEvent extends Omit<IEvent, "type"> {
  readonly type: EventType;
}

/**
 * A response of a watch: etcd3's type, but with the number of the event's type, because nothing is converted on this
 * path for speed.
 */
export interface WatchResponse extends Omit<IWatchResponse, "events"> {
  readonly events: readonly WatchEvent[];
}

/** Receives the responses of a watch. */
export interface WatchSink {
  onResponse(response: WatchResponse): void;
  /** The last call, unless cancelled by its owner. */
  onEnd(error: StoreError): void;
}

/** A watch. */
export interface WatchCall {
  /** Idempotent; the sink is not called again. */
  cancel(): void;
}

/**
 * Carries the calls of etcd3's generated clients over our own connections (ADR 11): the clients, types and errors are
 * those of the package, and the bytes go through {@link Endpoints}. Errors are StoreErrors; their cause is etcd3's
 * own error.
 *
 * @example
 * ```ts
 * const transport = new EtcdTransport({ servers: ["http://127.0.0.1:2379"], requestTimeoutMs: 5000 });
 * const { version } = await transport.maintenance.status();
 * const { kvs } = await transport.kv.range({ key: Buffer.from("a") }, { retry: true });
 * transport.close();
 * ```
 */
export class EtcdTransport implements ICallable<EtcdTransport> {
  readonly kv = new KVClient(this);
  readonly lease = new LeaseClient(this);
  readonly maintenance = new MaintenanceClient(this);
  readonly cluster = new ClusterClient(this);
  readonly callOptionsFactory = undefined;
  readonly #endpoints: Endpoints;

  /** @throws TypeError if there is no server, or one is not a URL */
  constructor(options: EndpointsOptions) {
    this.#endpoints = new Endpoints(options);
  }

  /** Makes a unary call, for etcd3's clients. @throws StoreError */
  exec<T>(service: keyof typeof Services, name: string, params: unknown, options: EtcdCallOptions = {}): Promise<T> {
    const { path, encode, decode } = methodOf(service, name);
    const {
      signal,
      retry,
      deadline,
      timeoutMs = deadline === undefined ? undefined : Number(deadline) - Date.now(),
    } = options;
    return this.#endpoints.call(path, encode(params as object), decode as (message: Buffer) => T, {
      signal,
      retry,
      timeoutMs,
    });
  }

  /** Makes a streaming call, for etcd3's clients. @throws StoreError */
  async withConnection<R>(
    service: keyof typeof Services,
    use: (args: { resource: EtcdTransport; client: Client; metadata: Metadata }) => Promise<R> | R,
  ): Promise<R> {
    // The clients call one of these methods, with metadata and options that are not used here.
    const client = {
      watch: () => this.#open(service, "watch"),
      leaseKeepAlive: () => this.#open(service, "leaseKeepAlive"),
      snapshot: (_metadata: Metadata, _options: CallOptions | undefined, request: object) => {
        const stream = this.#open(service, "snapshot");
        stream.write(request);
        stream.end();
        return stream;
      },
    };
    return use({ resource: this, client: client as unknown as Client, metadata: undefined as unknown as Metadata });
  }

  /** For etcd3's clients: does nothing, because a broken connection already accepts no more calls. */
  markFailed(): void {}

  /** Opens a watch on the current server, without etcd3's client for speed: each change of the store passes here. */
  watch(request: IWatchCreateRequest, sink: WatchSink): WatchCall {
    let over = false;
    const end = (error: StoreError) => {
      if (over) return;
      over = true;
      sink.onEnd(error);
    };
    try {
      const { call } = this.#endpoints.stream(watchMethod.path, {
        onMessage(message) {
          if (over) return;
          let response: WatchResponse;
          try {
            response = watchMethod.decode(message) as WatchResponse;
          } catch (error) {
            end(new StoreError("Corrupt", "etcd: cannot read a message of the watch stream", { cause: error }));
            return;
          }
          sink.onResponse(response);
        },
        onEnd: (error) =>
          end(
            error === undefined
              ? new StoreError("Unavailable", "etcd: the watch stream has ended")
              : toStoreError("watch", error),
          ),
      });
      const message: IWatchRequest = { create_request: request };
      call.send(watchMethod.encode(message));
      return {
        cancel() {
          over = true;
          call.cancel(new GrpcError(GrpcStatus.cancelled, "the watch was cancelled"));
        },
      };
    } catch (error) {
      // Never synchronously: the caller must have the call before it ends.
      queueMicrotask(() => end(toStoreError("watch", error)));
      return {
        cancel() {
          over = true;
        },
      };
    }
  }

  /** Sends now what calls of this turn of the event loop have left to be sent at its end. */
  flush(): void {
    this.#endpoints.flush();
  }

  /** Switches to the next server after a stream of the current one has failed. */
  failed(): void {
    this.#endpoints.failed();
  }

  /** Ends all calls. Idempotent. */
  close(): void {
    this.#endpoints.close();
  }

  #open(service: string, name: string): EtcdStream<object, object> {
    const { path, encode, decode } = methodOf(service, name);
    const stream = new EtcdStream<object, object>(encode, {
      pause: () => opened.connection.pause(),
      resume: () => opened.connection.resume(),
    });
    const opened = this.#endpoints.stream(path, {
      onMessage(message) {
        try {
          stream.received(decode(message));
        } catch (cause) {
          opened.call.cancel(new GrpcError(GrpcStatus.unknown, "the server's message cannot be read", { cause }));
        }
      },
      onEnd: (error) => stream.ended(error && toStoreError(`call ${path}`, error)),
    });
    stream.begin(opened.call);
    return stream;
  }
}
