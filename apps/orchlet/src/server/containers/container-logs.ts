import { NotARegularFile } from "@orchernetes/host";
import type { HttpRequest, HttpResponse } from "@orchernetes/kernel";
import { readLog } from "../../logs/read-log.ts";
import { HttpError } from "../requests/http-error.ts";
import { readLogParameters } from "./log-parameters.ts";
import type { PodLookup } from "./pod-lookup.ts";
import type { IsRunning } from "./running-containers.ts";

/**
 * Serves `GET /containerLogs/{namespace}/{pod}/{container}`, whose parameters are those of PodLogOptions. The headers
 * are sent only when there is something to write, so that errors before that are complete responses.
 *
 * @throws HttpError 400 and 422 for invalid parameters; 404 if the pod, the container or its log does not exist
 */
export async function serveContainerLogs(
  target: {
    readonly namespace: string;
    readonly pod: string;
    readonly container: string;
    readonly query: URLSearchParams;
  },
  deps: { readonly lookup: PodLookup; readonly isRunning: IsRunning; readonly now: () => Date },
  _request: HttpRequest,
  response: HttpResponse,
): Promise<void> {
  const { container } = target;
  const { previous, sinceSeconds, ...parameters } = readLogParameters(target.query);
  const sinceMs = sinceSeconds === undefined ? parameters.sinceMs : deps.now().getTime() - sinceSeconds * 1000;
  const worker = deps.lookup.pod(target.namespace, target.pod);
  const names = [
    ...(worker.pod?.spec.containers ?? []),
    ...(worker.pod?.spec.initContainers ?? []),
    ...(worker.pod?.spec.ephemeralContainers ?? []),
  ].map(({ name }) => name);
  if (!names.includes(container)) throw new HttpError(404, `container "${container}" not found in pod "${target.pod}"`);
  const found = await deps.lookup.loggedContainer(worker, container, previous);
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const options = {
    query: { ...parameters, sinceMs },
    running: () => deps.isRunning(worker.identity, found.id),
    write: async (chunk: Buffer) => {
      if (!response.headersSent) begin(response);
      if (!response.write(chunk)) await drained(response, gone.signal);
    },
    signal: gone.signal,
  };
  try {
    if (options.query.follow) begin(response);
    await readLog(found.logPath, options);
  } catch (error) {
    if (gone.signal.aborted) return;
    const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
    if (!missing && !(error instanceof NotARegularFile)) throw error;
    if (!response.headersSent) {
      const why = missing ? "the file no longer exists" : "it is not a regular file";
      throw new HttpError(404, `failed to open the log of container "${container}": ${why}`);
    }
  }
  if (!response.headersSent) begin(response);
  response.end();
}

/** Sends the headers, so that a client that follows an empty log sees that the request succeeded. */
function begin(response: HttpResponse): void {
  response.writeHead(200, { "content-type": "text/plain" });
  response.flushHeaders?.();
}

/** Waits until the client has received the data that is buffered. @throws the signal's reason */
async function drained(response: HttpResponse, signal: AbortSignal): Promise<void> {
  // A response that was closed before the write emits no `drain`; waiting for it would keep the log file open forever.
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener("abort", onAbort);
  try {
    response.once("drain", resolve);
    await promise;
  } finally {
    // A log may be followed for hours, with a listener for each of its chunks.
    signal.removeEventListener("abort", onAbort);
  }
}
