import type { EventObject } from "./event-object.ts";
import { LruMap } from "./lru-map.ts";

/** How an event is handled. */
export type Correlation =
  /** There are too many events from this source about this object. */
  | { readonly type: "drop" }
  | { readonly type: "create"; readonly event: EventObject }
  /** The event was reported before: its count is increased. */
  | { readonly type: "bump"; readonly name: string; readonly event: EventObject };

/** Decides for each event whether it is written, counted or dropped. */
export interface EventCorrelator {
  /** @param now milliseconds since the epoch */
  correlate(event: EventObject, now: number): Correlation;
  /**
   * Remembers the name under which the event was stored. It differs from the one that was correlated if the first
   * event had expired.
   */
  stored(event: EventObject): void;
}

/** Entries of each memory. A component that reports about more objects than that loses counts, not events. */
const capacity = 4096;
/** The number of different messages of one reason within the interval after which they are reported as one event. */
const aggregateAfter = 10;
const aggregateWithinMs = 600_000;
/** Events about one object at once; further ones are accepted at one in five minutes. */
const spamBurst = 25;
const spamRefillPerMs = 1 / 300_000;

/** The different messages of events that are otherwise equal. `lastAt` is in milliseconds since the epoch. */
interface Aggregate {
  lastAt: number;
  readonly messages: Set<string>;
}

/** The stored event that further equal ones increase the count of. */
interface Logged {
  readonly name: string;
  count: number;
  readonly firstTimestamp: string;
}

/**
 * Prevents a component from flooding the store with events, with the limits of client-go's EventCorrelator: a token
 * bucket per source and object (25 at once, one more every 5 minutes) drops the excess; events that differ only in
 * their message are reported as one from the tenth on, if no more than 10 minutes pass between two of them; and an
 * event that was reported before only increases its count. It remembers the latest 4096 of each.
 */
export function createEventCorrelator(): EventCorrelator {
  const buckets = new LruMap<string, { tokens: number; at: number }>(capacity);
  const aggregates = new LruMap<string, Aggregate>(capacity);
  const logged = new LruMap<string, Logged>(capacity);

  const isSpam = (key: string, now: number): boolean => {
    const bucket = buckets.get(key) ?? { tokens: spamBurst, at: now };
    bucket.tokens = Math.min(spamBurst, bucket.tokens + (now - bucket.at) * spamRefillPerMs);
    bucket.at = now;
    buckets.set(key, bucket);
    if (bucket.tokens < 1) return true;
    bucket.tokens -= 1;
    return false;
  };

  /** Returns the event to report, and the key under which its repetitions are found. */
  const aggregate = (
    event: EventObject,
    groupKey: string,
    now: number,
  ): { readonly key: string; readonly event: EventObject } => {
    const known = aggregates.get(groupKey);
    const group =
      known !== undefined && now - known.lastAt <= aggregateWithinMs
        ? known
        : { lastAt: now, messages: new Set<string>() };
    group.messages.add(event.message);
    group.lastAt = now;
    aggregates.set(groupKey, group);
    if (group.messages.size < aggregateAfter) return { key: identityKey(event, groupKey), event };
    // A group never remembers more messages than its limit.
    const [oldest] = group.messages;
    if (oldest !== undefined) group.messages.delete(oldest);
    return { key: groupKey, event: { ...event, message: `(combined from similar events): ${event.message}` } };
  };

  return {
    correlate(incoming, now) {
      // Each key contains the one before; with many events, computing them takes time.
      const source = sourceKey(incoming);
      const { key, event } = aggregate(incoming, similarityKey(incoming, source), now);
      const spam = isSpam(source, now);
      const before = logged.get(key);
      if (before === undefined) {
        logged.set(key, { name: event.metadata.name, count: 1, firstTimestamp: event.firstTimestamp });
        return spam ? { type: "drop" } : { type: "create", event };
      }
      // A dropped event is included in the count that the next one reports.
      before.count += 1;
      if (spam) return { type: "drop" };
      const { name, count, firstTimestamp } = before;
      const metadata = { ...event.metadata, name };
      return { type: "bump", name, event: { ...event, metadata, count, firstTimestamp } };
    },
    stored(event) {
      const similarity = similarityKey(event, sourceKey(event));
      const isCombined = event.message.startsWith("(combined from similar events): ");
      const key = isCombined ? similarity : identityKey(event, similarity);
      // The count may have grown while this event was being written.
      const count = Math.max(event.count, logged.get(key)?.count ?? 0);
      logged.set(key, { name: event.metadata.name, count, firstTimestamp: event.firstTimestamp });
    },
  };
}

/** Who reports about which object. */
function sourceKey({ source, involvedObject: o }: EventObject): string {
  return `${source.component}\n${source.host}\n${o.kind}\n${o.namespace}\n${o.name}\n${o.uid}\n${o.apiVersion}`;
}

/** Everything but the message: events with the same key are candidates for aggregation. */
function similarityKey({ type, reason, reportingComponent, reportingInstance }: EventObject, source: string): string {
  return `${source}\n${type}\n${reason}\n${reportingComponent}\n${reportingInstance}`;
}

/** Events with the same key are repetitions of one event. */
function identityKey({ involvedObject, message }: EventObject, similarity: string): string {
  return `${similarity}\n${involvedObject.fieldPath}\n${message}`;
}
