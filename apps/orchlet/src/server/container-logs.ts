import { NotARegularFile } from "@orchernetes/cri/host";
import type { HttpRequest, HttpResponse } from "@orchernetes/kernel";
import { readLog } from "../logs/read-log.ts";
import { HttpError } from "./http-error.ts";
import type { PodLookup } from "./pod-lookup.ts";
import type { IsRunning } from "./running-containers.ts";

/** A switch is on when it is there, and neither `0` nor `false`. */
const flag = (query: URLSearchParams, name: string): boolean => !/^(0|false)$/i.test(query.get(name) ?? "false");

function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  throw new HttpError(400, `invalid value "${text}" for ${name}: want a whole number that is not negative`);
}

/** `GET /containerLogs/{namespace}/{pod}/{container}` */
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
  const { query, container } = target;
  const worker = deps.lookup.pod(target.namespace, target.pod);
  const names = [
    ...(worker.pod?.spec.containers ?? []),
    ...(worker.pod?.spec.initContainers ?? []),
    ...(worker.pod?.spec.ephemeralContainers ?? []),
  ].map(({ name }) => name);
  if (!names.includes(container)) throw new HttpError(404, `container "${container}" not found in pod "${target.pod}"`);
  const sinceSeconds = wholeNumber(query, "sinceSeconds");
  const sinceTime = query.get("sinceTime");
  const sinceMs =
    sinceSeconds !== undefined
      ? deps.now().getTime() - sinceSeconds * 1000
      : sinceTime === null
        ? undefined
        : Date.parse(sinceTime);
  if (Number.isNaN(sinceMs))
    throw new HttpError(400, `invalid value "${sinceTime}" for sinceTime: want a time as in RFC 3339`);
  const found = await deps.lookup.loggedContainer(worker, container, flag(query, "previous"));
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const options = {
    query: {
      follow: flag(query, "follow"),
      tailLines: wholeNumber(query, "tailLines"),
      sinceMs,
      timestamps: flag(query, "timestamps"),
      limitBytes: wholeNumber(query, "limitBytes"),
    },
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
      const why = missing ? "it has none any more" : "there is no regular file in its place";
      throw new HttpError(404, `failed to open the log of container "${container}": ${why}`);
    }
  }
  if (!response.headersSent) begin(response);
  response.end();
}

function begin(response: HttpResponse): void {
  response.writeHead(200, { "content-type": "text/plain" });
  response.flushHeaders?.();
}

async function drained(response: HttpResponse, signal: AbortSignal): Promise<void> {
  // A client that went before its data was written drains nothing; whoever waited for it would keep the log open, unreachable.
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    response.once("drain", resolve);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
