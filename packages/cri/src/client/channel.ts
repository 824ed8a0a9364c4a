import type { Client, ServiceError } from "@grpc/grpc-js";
import type { Methods } from "../v1/method.ts";
import { CriError, grpcCodeName } from "./cri-error.ts";

/** Options of one call. */
export interface CallOptions {
  /** Deadline in ms; `Infinity` for none. @default that of the client for the method */
  readonly timeoutMs?: number | undefined;
  /** Aborting it cancels the call, which then fails with code `Canceled`. */
  readonly signal?: AbortSignal | undefined;
}

type Spec = Methods[string];

/** One service at one endpoint, untyped. */
export interface Channel {
  unary(method: string, spec: Spec, request: object, options: CallOptions): Promise<unknown>;
  stream(method: string, spec: Spec, request: object, options: CallOptions): AsyncIterable<unknown>;
  close(): void;
}

// As in the kubelet and in containerd: lists of many containers exceed the 4 MiB default of gRPC.
const maxMessageBytes = 16 * 1024 * 1024;

/**
 * Opens a channel lazily: the first call loads the gRPC library and connects. While the runtime is down, calls fail
 * immediately with `Unavailable`. The channel reconnects on its own, at most 3 s apart.
 *
 * @param service - with its package, such as `runtime.v1.ImageService`
 */
export function openChannel(target: string, service: string): Channel {
  let client: Promise<Client> | undefined;
  let closed = false;

  async function connect(): Promise<Client> {
    const grpc = await import("@grpc/grpc-js");
    return new grpc.Client(target, grpc.credentials.createInsecure(), {
      // Go servers reject the percent-encoded socket path that would be the authority otherwise.
      "grpc.default_authority": "localhost",
      "grpc.max_receive_message_length": maxMessageBytes,
      "grpc.max_send_message_length": maxMessageBytes,
      "grpc.initial_reconnect_backoff_ms": 100,
      "grpc.max_reconnect_backoff_ms": 3000,
      // The library cannot know which calls are idempotent: RunPodSandbox and CreateContainer are not. The caller
      // decides.
      "grpc.enable_retries": 0,
    });
  }

  async function dial(method: string): Promise<Client> {
    if (closed) throw new CriError(method, "Canceled", "the client is closed");
    client ??= connect();
    return client;
  }

  function refuseAborted(method: string, signal: AbortSignal | undefined): void {
    if (signal?.aborted) throw new CriError(method, "Canceled", "aborted before the call", { cause: signal.reason });
  }

  function deadline(options: CallOptions): { deadline?: number } {
    const { timeoutMs } = options;
    return timeoutMs === undefined || timeoutMs === Infinity ? {} : { deadline: Date.now() + timeoutMs };
  }

  return {
    async unary(method, spec, request, options) {
      const connection = await dial(method);
      refuseAborted(method, options.signal);
      const { Metadata } = await import("@grpc/grpc-js");
      return await new Promise((resolve, reject) => {
        const call = connection.makeUnaryRequest(
          path(service, method),
          (value: object) => spec.request.encode(value),
          (bytes: Buffer) => spec.response.decode(bytes),
          request,
          new Metadata(),
          deadline(options),
          (error, value) => {
            options.signal?.removeEventListener("abort", cancel);
            if (error) reject(toCriError(method, error));
            else resolve(value);
          },
        );
        const cancel = () => call.cancel();
        options.signal?.addEventListener("abort", cancel, { once: true });
      });
    },

    async *stream(method, spec, request, options) {
      const connection = await dial(method);
      refuseAborted(method, options.signal);
      const { Metadata } = await import("@grpc/grpc-js");
      const call = connection.makeServerStreamRequest(
        path(service, method),
        (value: object) => spec.request.encode(value),
        (bytes: Buffer) => spec.response.decode(bytes),
        request,
        new Metadata(),
        deadline(options),
      );
      const cancel = () => call.cancel();
      options.signal?.addEventListener("abort", cancel, { once: true });
      try {
        yield* call;
      } catch (error) {
        throw toCriError(method, error as ServiceError);
      } finally {
        options.signal?.removeEventListener("abort", cancel);
        // Leaving the loop early cancels the call, which emits an error that nobody awaits any more.
        call.on("error", () => {});
        call.cancel();
      }
    },

    close() {
      closed = true;
      void client?.then((open) => open.close());
    },
  };
}

function path(service: string, method: string): string {
  return `/${service}/${method}`;
}

/** Errors without a gRPC code come from encoding the request or decoding the response. */
function toCriError(method: string, error: ServiceError): CriError {
  if (typeof error.code !== "number") return new CriError(method, "Internal", error.message, { cause: error });
  return new CriError(method, grpcCodeName(error.code), error.details || error.message, { cause: error });
}
