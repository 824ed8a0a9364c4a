import type { Logger } from "@orchernetes/kernel";
import { imageService, runtimeService } from "../v1/services.ts";
import { bindService, type Calls } from "./bind-service.ts";
import { openChannel, RUNTIME_MESSAGE_BYTES } from "./channel.ts";
import { grpcTarget } from "./unix-socket.ts";

/** Calls of the runtime service. All reject with {@link CriError}. */
export type RuntimeService = Calls<typeof runtimeService>;

/** Calls of the image service. All reject with {@link CriError}. */
export type ImageService = Calls<typeof imageService>;

/** Endpoints of a runtime, deadlines and logging. */
export interface CriClientOptions {
  /** `unix:///path` of the runtime service. */
  readonly endpoint: string;
  /** `unix:///path` of the image service. @default endpoint */
  readonly imageEndpoint?: string | undefined;
  /**
   * Deadline of a call in ms. RunPodSandbox gets twice as long; StopContainer and ExecSync get their own timeout on
   * top (ExecSync without one has no deadline); PullImage has no deadline. @default 120000
   */
  readonly timeoutMs?: number | undefined;
  /** Logger for failed calls, at verbosity 4. */
  readonly logger?: Logger | undefined;
  /** Aborting it cancels all calls and closes the client. */
  readonly signal?: AbortSignal | undefined;
}

/** The two services of one runtime. */
export interface CriClient {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  /** Closes the connections. Calls in flight and later calls fail with `Canceled`. */
  close(): void;
}

/**
 * Creates a CRI v1 client. The first call connects. The client reconnects on its own to a runtime that restarts.
 *
 * @example
 * const cri = createCriClient({ endpoint: "unix:///run/containerd/containerd.sock" });
 * const { runtimeName } = await cri.runtime.version({});
 *
 * @throws TypeError when an endpoint is not a unix socket
 */
export function createCriClient(options: CriClientOptions): CriClient {
  const { timeoutMs = 120_000, logger, signal } = options;
  const runtime = openChannel(grpcTarget(options.endpoint), "runtime.v1.RuntimeService", RUNTIME_MESSAGE_BYTES);
  const imageTarget = grpcTarget(options.imageEndpoint ?? options.endpoint);
  const images = openChannel(imageTarget, "runtime.v1.ImageService", RUNTIME_MESSAGE_BYTES);
  const closed = new AbortController();
  const binding = {
    timeoutMs: (method: string, request: object) => defaultTimeout(method, request, timeoutMs),
    signal: signal === undefined ? closed.signal : AbortSignal.any([signal, closed.signal]),
    logger,
  };
  const client: CriClient = {
    runtime: bindService(runtime, runtimeService, binding),
    images: bindService(images, imageService, binding),
    close() {
      closed.abort();
      runtime.close();
      images.close();
    },
  };
  signal?.addEventListener("abort", () => client.close(), { once: true });
  return client;
}

/**
 * The default deadline of a method in ms. Calls that contain a timeout need that time in addition. Pulling an image
 * and following events have no deadline, since nothing bounds the time they take.
 */
function defaultTimeout(method: string, request: object, timeoutMs: number): number {
  const own = "timeout" in request && typeof request.timeout === "number" ? request.timeout : 0;
  switch (method) {
    case "getContainerEvents":
    case "pullImage":
      return Infinity;
    case "runPodSandbox":
      return 2 * timeoutMs;
    case "execSync":
      return own > 0 ? timeoutMs + own * 1000 : Infinity;
    case "stopContainer":
    case "checkpointContainer":
      return timeoutMs + own * 1000;
    default:
      return timeoutMs;
  }
}
