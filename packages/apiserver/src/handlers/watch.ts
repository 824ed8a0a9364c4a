/**
 * Watches. An event passes these stations from the commit to the socket, in this order:
 *
 * 1. The store reports the changes of a transaction as one batch at its revision (`Store.watch` of `packages/storage`).
 * 2. `WatchCache` (`packages/storage/src/watch-cache`) describes each object, replaces it in its table, and keeps the
 *    change for watches that start in the past.
 * 3. `WatcherSet` finds the watchers that may select the object. All that see the change in the same way (as ADDED,
 *    MODIFIED or DELETED) get the same event object in their buffers. A watcher whose buffer is full ends.
 * 4. After the batch, `CacheWatcher` delivers its buffer, unless it is paused: many watchers in several turns of the
 *    event loop.
 * 5. {@link WatchSender} joins the lines of the events, writes them to the connection in one piece, and pauses the
 *    watcher while the client does not read. {@link WatchEncoder} makes the line of an event once for all watches of
 *    the same form.
 * 6. `WatchPacer` decides when the next write may happen: immediately while watches are few, in rounds while they are
 *    many.
 *
 * {@link handleWatch} connects 4 to 5 for one request, after the objects that the watch starts with, and ends the
 * watch.
 *
 * @module
 */
import { notAcceptable, protobufMediaType, statusOf } from "@orchernetes/apimachinery";
import { isGone } from "@orchernetes/kernel";
import { type CacheEntry, isStoreError, type Revision } from "@orchernetes/storage";
import { drained } from "../http/chunk-sender.ts";
import { jsonType } from "../http/negotiate.ts";
import { baseHeaders } from "../http/respond.ts";
import { ConvertingWatcher } from "../registry/converting-watcher.ts";
import { type ListOptions, parseListOptions } from "../registry/list-options.ts";
import type { WatchStart } from "../registry/resource-reader.ts";
import { type EntrySelection, selectionOf } from "../registry/selection.ts";
import { negotiatedFor, type ResourceRequest } from "./endpoint.ts";
import { includeObjectOf } from "./table.ts";
import { WatchEncoder } from "./watch-encoder.ts";
import { WatchSender } from "./watch-sender.ts";

/** Initial events written before the event loop gets its turn: limits in bytes and in objects. */
const initialBatch = { bytes: 256 * 1024, objects: 100 } as const;
/** The longest time of a Node.js timer, in milliseconds; a longer one would fire immediately. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * GET of a collection with watch=true (or below `/watch/`): a stream of events until a timeout.
 *
 * The response starts with 200 before the first event, as clients wait for the head to know that the watch is
 * established. From then on every error is an event. A compacted resourceVersion is one, too: upstream reports 410 in
 * the stream, and clients expect it there.
 *
 * @throws ApiError BadRequest, Invalid, NotAcceptable; Timeout for a version in the future
 */
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
  const encoder = new WatchEncoder(served, negotiated, include, () => environment.clock.now());

  let start: WatchStart | undefined;
  let oldest: Revision | undefined;
  try {
    start = await watchStart(request, selection, options);
  } catch (error) {
    if (!isStoreError(error, "Compacted")) throw error;
    oldest = error.compactRevision;
  }
  state.code = 200;
  state.res.writeHead(200, baseHeaders(state, encoder.contentType));
  state.res.flushHeaders();
  if (start === undefined) {
    state.res.end(
      encoder.expired(`too old resource version: ${options.resourceVersion ?? 0} (${oldest ?? "unknown"})`),
    );
    return;
  }
  await run(request, start, encoder, options);
}

/**
 * Starts the watch, and converts its initial objects.
 *
 * @throws StoreError Compacted
 * @throws ApiError when a webhook cannot convert the objects
 */
async function watchStart(
  { state, served }: ResourceRequest,
  selection: EntrySelection,
  options: ListOptions,
): Promise<WatchStart> {
  const start = await served.reader.watch(selection, options, state);
  if (served.form.converter === undefined) return start;
  try {
    const initial = await served.entries(start.initial, state);
    return { ...start, initial, watcher: new ConvertingWatcher(start.watcher, served.form) };
  } catch (error) {
    start.watcher.stop();
    throw error;
  }
}

/**
 * Duration of a watch in milliseconds: `timeoutSeconds`, or a random one from the minimum (`--min-request-timeout`) to
 * twice that.
 */
function timeoutMs(options: ListOptions, minSeconds: number): number {
  const { timeoutSeconds = 0 } = options;
  if (timeoutSeconds !== 0) return Math.min(Math.max(0, timeoutSeconds * 1000), longestTimerMs);
  // Random, so that clients do not all reconnect at the same time. There are only a thousand different durations, as
  // Node.js keeps a list of timers for each duration, which exists until its last timer has fired.
  return minSeconds * (1000 + Math.floor(Math.random() * 1000));
}

/**
 * Sends the initial objects and then the events, until the client leaves, the time is over, or the watcher ends.
 *
 * `onEvents` is registered after the initial objects were sent: until then the watcher buffers, so that no event
 * overtakes them.
 */
async function run(
  request: ResourceRequest,
  { watcher, initial, revision }: WatchStart,
  encoder: WatchEncoder,
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
    const cause = watcher instanceof ConvertingWatcher ? watcher.failure : undefined;
    if (cause !== undefined && !isGone(res)) res.write(encoder.failed(statusOf(cause)));
    if (reason === "expired") counts?.terminated();
    if (reason === "expired" && !isGone(res))
      res.write(encoder.expired("the watch lost its place in history; list again"));
    done.resolve();
  });
  try {
    if (initial.length > 0 && !ended) await sendInitial(request, initial, encoder, () => ended);
    if (options.sendInitialEvents === true && options.allowWatchBookmarks) res.write(encoder.bookmark(revision, true));
    const { pacer, batches } = environment;
    const sender = new WatchSender({ res, encoder, watcher, pacer, batches, counts });
    if (!ended) watcher.onEvents((events) => sender.send(events));
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

/**
 * Sends the initial objects as ADDED events, at the client's pace, and in turns of the event loop if the client is
 * fast.
 */
async function sendInitial(
  { state, environment }: ResourceRequest,
  initial: readonly CacheEntry[],
  encoder: WatchEncoder,
  ended: () => boolean,
): Promise<void> {
  let batch: Buffer[] = [];
  let size = 0;
  for (const entry of initial) {
    const line = encoder.encode({ type: "ADDED", entry, revision: entry.revision, frames: undefined });
    batch.push(line);
    size += line.length;
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
