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

  const isSpam = (event: EventObject, now: number): boolean => {
    const key = sourceKey(event);
    const bucket = buckets.get(key) ?? { tokens: spamBurst, at: now };
    bucket.tokens = Math.min(spamBurst, bucket.tokens + (now - bucket.at) * spamRefillPerMs);
    bucket.at = now;
    buckets.set(key, bucket);
    if (bucket.tokens < 1) return true;
    bucket.tokens -= 1;
    return false;
  };

  /** Returns the event to report, and the key under which its repetitions are found. */
  const aggregate = (event: EventObject, now: number): { readonly key: string; readonly event: EventObject } => {
    const groupKey = similarityKey(event);
    const known = aggregates.get(groupKey);
    const group =
      known !== undefined && now - known.lastAt <= aggregateWithinMs
        ? known
        : { lastAt: now, messages: new Set<string>() };
    group.messages.add(event.message);
    group.lastAt = now;
    aggregates.set(groupKey, group);
    if (group.messages.size < aggregateAfter) return { key: identityKey(event), event };
    // A group never remembers more messages than its limit.
    const [oldest] = group.messages;
    if (oldest !== undefined) group.messages.delete(oldest);
    return { key: groupKey, event: { ...event, message: `(combined from similar events): ${event.message}` } };
  };

  return {
    correlate(incoming, now) {
      const { key, event } = aggregate(incoming, now);
      const spam = isSpam(incoming, now);
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
      const key = event.message.startsWith("(combined from similar events): ")
        ? similarityKey(event)
        : identityKey(event);
      // The count may have grown while this event was being written.
      const count = Math.max(event.count, logged.get(key)?.count ?? 0);
      logged.set(key, { name: event.metadata.name, count, firstTimestamp: event.firstTimestamp });
    },
  };
}

/** Who reports about which object. */
function sourceKey({ source, involvedObject: o }: EventObject): string {
  return [source.component, source.host, o.kind, o.namespace, o.name, o.uid, o.apiVersion].join("\n");
}

/** Everything but the message: events with the same key are candidates for aggregation. */
function similarityKey(event: EventObject): string {
  return `${sourceKey(event)}\n${event.type}\n${event.reason}\n${event.reportingComponent}\n${event.reportingInstance}`;
}

/** Events with the same key are repetitions of one event. */
function identityKey(event: EventObject): string {
  return `${similarityKey(event)}\n${event.involvedObject.fieldPath}\n${event.message}`;
}
