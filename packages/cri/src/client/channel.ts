import type { Client, Metadata } from "@grpc/grpc-js";
import { hardenHttp2Clients } from "@orchernetes/kernel";
import type { Methods } from "../v1/method.ts";
import { CriError, grpcCodeName } from "./cri-error.ts";
import { UnaryCalls } from "./unary-calls.ts";

/** Options of one call. */
export interface CallOptions {
  /** Deadline in ms; `Infinity` for none. @default that of the client for the method */
  readonly timeoutMs?: number | undefined;
  /** Aborting it cancels the call, which then fails with code `Canceled`. */
  readonly signal?: AbortSignal | undefined;
}

/** Reads a part of a response. `V` must have the shape of that part. */
export interface View<V> {
  /** @throws Error for malformed or truncated input */
  decode(bytes: Buffer): V;
}

type Spec = Methods[string];

/** The options of a call of a channel. */
interface UnaryOptions extends CallOptions {
  /** Reads the response. @default the method's own message */
  readonly view?: View<object> | undefined;
}

/** One service at one endpoint, untyped. */
export interface Channel {
  unary(method: string, spec: Spec, request: object, options: UnaryOptions): Promise<unknown>;
  stream(method: string, spec: Spec, request: object, options: CallOptions): AsyncIterable<unknown>;
  close(): void;
}

/** grpc-js is imported once: another `import()` for each stream would cost as much as the stream. */
interface Connected {
  readonly client: Client;
  readonly metadata: () => Metadata;
}

/** Largest message of the runtime, as in the kubelet and in containerd: lists of many containers exceed the default of gRPC. */
export const RUNTIME_MESSAGE_BYTES = 16 * 1024 * 1024;
/** The default of gRPC. */
export const DEFAULT_MESSAGE_BYTES = 4 * 1024 * 1024;

/**
 * Opens a channel lazily: the first call connects. While the server is down, calls fail immediately with `Unavailable`. Unary calls, which
 * are nearly all, use {@link UnaryCalls}; the first stream loads grpc-js, which tries to reconnect at least every 3 s.
 *
 * @param service - with its package, such as `runtime.v1.ImageService`
 * @param maxMessageBytes - largest message of the server: a decoded message can take forty times as much memory
 */
export function openChannel(target: string, service: string, maxMessageBytes: number): Channel {
  const calls = new UnaryCalls(target.slice("unix:".length), maxMessageBytes);
  let client: Promise<Connected> | undefined;
  let closed = false;

  async function connect(): Promise<Connected> {
    const grpc = await import("@grpc/grpc-js");
    hardenHttp2Clients();
    const client = new grpc.Client(target, grpc.credentials.createInsecure(), {
      // Go servers reject the percent-encoded socket path that would be the authority otherwise.
      "grpc.default_authority": "localhost",
      "grpc.max_receive_message_length": maxMessageBytes,
      "grpc.max_send_message_length": RUNTIME_MESSAGE_BYTES,
      "grpc.initial_reconnect_backoff_ms": 100,
      "grpc.max_reconnect_backoff_ms": 3000,
      // The library cannot know which calls are idempotent: RunPodSandbox and CreateContainer are not. The caller
      // decides.
      "grpc.enable_retries": 0,
    });
    return { client, metadata: () => new grpc.Metadata() };
  }

  function refuseClosed(method: string): void {
    if (closed) throw new CriError(method, "Canceled", "the client is closed");
  }

  function refuseAborted(method: string, signal: AbortSignal | undefined): void {
    if (signal?.aborted) throw new CriError(method, "Canceled", "aborted before the call", { cause: signal.reason });
  }

  function deadline(options: CallOptions): { deadline?: number } {
    const { timeoutMs } = options;
    return timeoutMs === undefined || timeoutMs === Infinity ? {} : { deadline: Date.now() + timeoutMs };
  }

  return {
    async unary(method, spec, request, { view = spec.response, timeoutMs = Infinity, signal }) {
      refuseClosed(method);
      refuseAborted(method, signal);
      try {
        const response = await calls.call(path(service, method), spec.request.encode(request), { timeoutMs, signal });
        return view.decode(response);
      } catch (error) {
        throw toCriError(method, error as Failure);
      }
    },

    async *stream(method, spec, request, options) {
      refuseClosed(method);
      refuseAborted(method, options.signal);
      client ??= connect();
      const { client: streams, metadata } = await client;
      // Either may have happened meanwhile, and a signal reports its abort only once.
      refuseClosed(method);
      refuseAborted(method, options.signal);
      const call = streams.makeServerStreamRequest(
        path(service, method),
        (value: object) => spec.request.encode(value),
        (bytes: Buffer) => spec.response.decode(bytes),
        request,
        metadata(),
        deadline(options),
      );
      const cancel = () => call.cancel();
      options.signal?.addEventListener("abort", cancel, { once: true });
      try {
        yield* call;
      } catch (error) {
        throw toCriError(method, error as Failure);
      } finally {
        options.signal?.removeEventListener("abort", cancel);
        // Leaving the loop early cancels the call, which emits an error that nobody awaits any more.
        call.on("error", () => {});
        call.cancel();
      }
    },

    close() {
      closed = true;
      calls.close();
      void client?.then((open) => open.client.close());
    },
  };
}

function path(service: string, method: string): string {
  return `/${service}/${method}`;
}

/** An error of either library, or of a codec. */
type Failure = Error & { readonly code?: unknown; readonly details?: string };

/** Errors without a gRPC code come from encoding the request or decoding the response. */
function toCriError(method: string, error: Failure): CriError {
  if (typeof error.code !== "number") return new CriError(method, "Internal", error.message, { cause: error });
  return new CriError(method, grpcCodeName(error.code), error.details || error.message, { cause: error });
}
