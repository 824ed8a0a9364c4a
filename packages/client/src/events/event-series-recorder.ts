import { formatMicroTime, isNotFound } from "@orchernetes/apimachinery";
import { type Clock, silentLogger, systemClock, type Timer } from "@orchernetes/kernel";
import type { Client } from "../client.ts";
import type { EventType } from "./event-object.ts";
import type { EventRecorder, EventRecorderOptions } from "./event-recorder.ts";
import { EventSink, shortened } from "./event-sink.ts";
import type { ObjectReference } from "./object-reference.ts";

/** An events.o8s.io/v1 Event as the recorder writes it. */
interface SeriesEvent {
  readonly kind: "Event";
  readonly apiVersion: "events.o8s.io/v1";
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly eventTime: string;
  readonly series?: { readonly count: number; readonly lastObservedTime: string };
  readonly reportingController: string;
  readonly reportingInstance: string;
  readonly action: string;
  readonly reason: string;
  readonly regarding: ObjectReference;
  readonly related?: ObjectReference;
  readonly note: string;
  readonly type: EventType;
}

/** A series in progress. `seenMs` is the monotonic time of its latest event. */
interface Series {
  event: SeriesEvent;
  seenMs: number;
  /** The stored event is out of date. */
  unwritten: boolean;
}

/** A series ends after this time without an event, in milliseconds. */
const finishedAfterMs = 6 * 60_000;
/** Interval at which the counts of running series are written, in milliseconds. */
const refreshMs = 30 * 60_000;
/** Series that are remembered. Beyond it the oldest is forgotten: its next event starts a new series. */
const capacity = 20_000;

/**
 * Records events as events.o8s.io/v1 Event objects, for the scheduler (KEP-383). The first event is written at once;
 * further events that differ only in their note form a series with it, whose count is written every half hour, and
 * after six minutes without a new event. A pod that cannot be scheduled so costs one write each half hour, not one
 * for each attempt. `host` becomes part of the reporting instance. Dropped events are counted and logged (see {@link
 * EventSink}).
 */
export function createEventSeriesRecorder(
  client: Client,
  options: EventRecorderOptions & { readonly host: string },
): EventRecorder {
  const { component, host, clock = systemClock, logger = silentLogger, signal } = options;
  const known = new Map<string, Series>();
  const sink = new EventSink<SeriesEvent>({
    client,
    component,
    clock,
    logger,
    signal,
    queueSize: options.queueSize,
    parallel: options.parallel,
    write: (event) => writeEvent(client, event, signal),
    merge: (_, after) => after,
    describe: ({ reason, regarding }) => ({ reason, object: regarding }),
  });
  const send = (series: Series): void => {
    series.unwritten = false;
    sink.push(series.event.metadata.name, series.event);
  };
  const finish = (): void => {
    const nowMs = clock.monotonicMs();
    for (const [key, series] of known) {
      if (nowMs - series.seenMs < finishedAfterMs) continue;
      if (series.unwritten) send(series);
      known.delete(key);
    }
  };
  const refresh = (): void => {
    for (const series of known.values()) if (series.unwritten) send(series);
  };
  followTime(clock, signal, [
    [finishedAfterMs, finish],
    [refreshMs, refresh],
  ]);

  return {
    event(regarding, type, reason, message, { annotations, action = reason, related } = {}) {
      if (signal?.aborted) return;
      const time = formatMicroTime(clock.now());
      const key = seriesKey({ type, action, reason, regarding, related });
      const before = known.get(key);
      if (before !== undefined) {
        const count = before.event.series?.count ?? 1;
        const isFirst = before.event.series === undefined;
        before.event = { ...before.event, series: { count: count + 1, lastObservedTime: time } };
        before.seenMs = clock.monotonicMs();
        before.unwritten = true;
        // The second event turns a single event into a series, which readers should see without waiting for the next
        // refresh.
        if (isFirst) send(before);
        return;
      }
      const event: SeriesEvent = {
        kind: "Event",
        apiVersion: "events.o8s.io/v1",
        metadata: {
          name: sink.nameFor(regarding),
          namespace: regarding.namespace || "default",
          ...(annotations === undefined ? {} : { annotations }),
        },
        eventTime: time,
        reportingController: component,
        reportingInstance: `${component}-${host}`,
        action,
        reason,
        regarding,
        ...(related === undefined ? {} : { related }),
        note: shortened(message),
        type,
      };
      const [oldest] = known.keys();
      if (known.size >= capacity && oldest !== undefined) known.delete(oldest);
      const series = { event, seenMs: clock.monotonicMs(), unwritten: true };
      known.set(key, series);
      send(series);
    },
    flush: () => sink.flush(),
  };
}

/**
 * Events with the same key are of one series, also about another version of the object. Line ends separate its parts: none of them can contain
 * one.
 */
function seriesKey({
  type,
  action,
  reason,
  regarding: o,
  related,
}: Pick<SeriesEvent, "type" | "action" | "reason" | "regarding"> & {
  readonly related: ObjectReference | undefined;
}): string {
  const about = `${o.kind}\n${o.namespace}\n${o.name}\n${o.uid}\n${o.apiVersion}\n${o.fieldPath}`;
  return `${type}\n${action}\n${reason}\n${about}\n${related?.uid}`;
}

/** Creates the event, or updates the count of its series. */
async function writeEvent(client: Client, event: SeriesEvent, signal: AbortSignal | undefined): Promise<void> {
  const cancel = signal === undefined ? {} : { signal };
  const { metadata, series } = event;
  const path = `/apis/events.o8s.io/v1/namespaces/${encodeURIComponent(metadata.namespace)}/events`;
  if (series !== undefined) {
    try {
      const contentType = "application/strategic-merge-patch+json";
      const item = `${path}/${encodeURIComponent(metadata.name)}`;
      await client.request({ method: "PATCH", path: item, contentType, body: { series }, decode: unread, ...cancel });
      return;
    } catch (error) {
      // Expired or never created: create it again with the current count.
      if (!isNotFound(error)) throw error;
    }
  }
  await client.request({ method: "POST", path, body: event, decode: unread, ...cancel });
}

/** Nothing of the response is needed but its status. */
const unread = (): undefined => undefined;

/** Calls back at intervals until the signal aborts. */
function followTime(
  clock: Clock,
  signal: AbortSignal | undefined,
  intervals: readonly (readonly [number, () => void])[],
): void {
  if (signal?.aborted) return;
  const timers = intervals.map(([ms, callback]): Timer => clock.setInterval(callback, ms));
  const clear = (): void => {
    for (const timer of timers) timer.clear();
  };
  signal?.addEventListener("abort", clear, { once: true });
}
