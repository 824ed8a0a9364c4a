import { notAcceptable, protobufMediaType } from "@orchernetes/apimachinery";
import { isGone } from "@orchernetes/kernel";
import { type CacheEntry, type CacheEvent, isStoreError, type Revision, type Watcher } from "@orchernetes/storage";
import { drained } from "../http/chunk-sender.ts";
import { jsonType } from "../http/negotiate.ts";
import { baseHeaders } from "../http/respond.ts";
import type { WatchCounts } from "../interfaces/index.ts";
import { type ListOptions, parseListOptions } from "../registry/list-options.ts";
import type { WatchStart } from "../registry/resource-reader.ts";
import { selectionOf } from "../registry/selection.ts";
import { negotiatedFor, type ResourceRequest } from "./endpoint.ts";
import { includeObjectOf } from "./table.ts";
import { WatchFrames } from "./watch-frames.ts";
import { WatchStream } from "./watch-stream.ts";

/** Of what a watch starts with, so much is written before the event loop gets its turn. */
const initialBatch = { bytes: 256 * 1024, objects: 100 } as const;
/** Timers cannot be set for longer. */
const longestTimerMs = 2 ** 31 - 1;

/** GET of a collection with watch=true (or below `/watch/`): a stream of events until a timeout. */
export async function handleWatch(request: ResourceRequest): Promise<void> {
  const { state, served, environment, ref } = request;
  const negotiated = negotiatedFor(request);
  const { encoding } = negotiated;
  if (encoding === "yaml") throw notAcceptable([jsonType, protobufMediaType]);
  const options = parseListOptions(served.definition, state.query, true, environment.features);
  const namespace = served.namespaced && ref.namespace !== "" ? ref.namespace : undefined;
  const name = ref.name === "" ? undefined : ref.name;
  const selection = selectionOf(served.definition, { namespace, name }, options.labelSelector, options.fieldSelector);
  const include = negotiated.as === "Table" ? includeObjectOf(state.query) : "Metadata";
  const frames = new WatchFrames(served, negotiated, include, () => environment.clock.now());

  let start: WatchStart | undefined;
  let oldest: Revision | undefined;
  try {
    start = await served.reader.watch(selection, options, state);
  } catch (error) {
    if (!isStoreError(error, "Compacted")) throw error;
    oldest = error.compactRevision;
  }
  state.code = 200;
  state.res.writeHead(200, baseHeaders(state, frames.contentType));
  state.res.flushHeaders();
  if (start === undefined) {
    state.res.end(frames.expired(`too old resource version: ${options.resourceVersion ?? 0} (${oldest ?? "unknown"})`));
    return;
  }
  await run(request, start, frames, options);
}

function timeoutMs(options: ListOptions, minSeconds: number): number {
  const { timeoutSeconds = 0 } = options;
  if (timeoutSeconds !== 0) return Math.min(Math.max(0, timeoutSeconds * 1000), longestTimerMs);
  // Spread out, so that clients do not all come back at once; over a thousand times only, since timers are kept in a list for each
  // length, which stays until its time is over.
  return minSeconds * (1000 + Math.floor(Math.random() * 1000));
}

async function run(
  request: ResourceRequest,
  { watcher, initial, revision }: WatchStart,
  frames: WatchFrames,
  options: ListOptions,
): Promise<void> {
  const { state, environment } = request;
  const { res } = state;
  const counts = environment.metrics?.watches(request.served.definition);
  counts?.initial(initial.length);
  const done = Promise.withResolvers<void>();
  const stop = () => watcher.stop();
  const forget = environment.watches.add(stop);
  res.once("close", stop);
  if (isGone(res)) stop();
  const timer = environment.clock.setTimeout(
    () => {
      environment.pacer.release(watcher);
      if (options.allowWatchBookmarks) watcher.bookmark();
      stop();
    },
    timeoutMs(options, environment.limits.minRequestTimeoutSeconds),
  );
  timer.unref();
  let ended = false;
  watcher.onEnd((reason) => {
    ended = true;
    if (reason === "expired") counts?.terminated();
    if (reason === "expired" && !isGone(res))
      res.write(frames.expired("the watch lost its place in history; list again"));
    done.resolve();
  });
  try {
    if (initial.length > 0 && !ended) await sendInitial(request, initial, frames, () => ended);
    if (options.sendInitialEvents === true && options.allowWatchBookmarks) res.write(frames.bookmark(revision, true));
    const stream = new WatchStream(res);
    if (!ended) watcher.onEvents((events) => deliver(request, events, frames, watcher, stream, counts));
    await done.promise;
  } finally {
    timer.clear();
    res.off("close", stop);
    forget();
    environment.pacer.forget(watcher);
    stop();
  }
  if (!isGone(res)) res.end();
}

async function sendInitial(
  { state, environment }: ResourceRequest,
  initial: readonly CacheEntry[],
  frames: WatchFrames,
  ended: () => boolean,
): Promise<void> {
  let batch: Buffer[] = [];
  let size = 0;
  for (const entry of initial) {
    const frame = frames.frame({ type: "ADDED", entry, revision: entry.revision, frames: undefined });
    batch.push(frame);
    size += frame.length;
    if (size < initialBatch.bytes && batch.length < initialBatch.objects) continue;
    const all = Buffer.concat(batch, size);
    batch = [];
    size = 0;
    if (!state.res.write(all)) await drained(state.res);
    else await environment.loop.nextTurn();
    if (ended()) return;
  }
  if (size > 0) state.res.write(Buffer.concat(batch, size));
}

/** Writes events as they come; a client that reads slowly makes the watcher hold back. */
function deliver(
  { state, environment }: ResourceRequest,
  events: readonly CacheEvent[],
  frames: WatchFrames,
  watcher: Watcher,
  stream: WatchStream,
  counts: WatchCounts | undefined,
): void {
  const { res } = state;
  if (isGone(res) || res.writableEnded) return;
  const { pacer, batches } = environment;
  const join = (): Buffer => stream.frame(events.map((event) => lineOf(event, frames)));
  const { form } = frames;
  const bytes =
    form === undefined || !pacer.crowded ? join() : batches.bytes(`${stream.framing}|${form}`, events, join);
  const flowing = stream.write(bytes);
  counts?.sent(events.length, bytes.length);
  if (flowing) {
    pacer.written(watcher);
    return;
  }
  watcher.pause();
  stream.onceDrained(() => pacer.drained(watcher));
}

function lineOf(event: CacheEvent, frames: WatchFrames): Buffer {
  return event.type === "BOOKMARK" ? frames.bookmark(event.revision, false) : frames.frame(event);
}
