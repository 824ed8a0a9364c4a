import type { EventObject } from "./event-object.ts";
import { LruMap } from "./lru-map.ts";

/** What to do about an event. */
export type Correlation =
  /** Too many from this source about this object. */
  | { readonly type: "drop" }
  | { readonly type: "create"; readonly event: EventObject }
  /** The same has been reported before: raise that event's count. */
  | { readonly type: "bump"; readonly name: string; readonly event: EventObject };

export interface EventCorrelator {
  correlate(event: EventObject, now: number): Correlation;
  /** Remembers under which name the event was stored. */
  stored(event: EventObject): void;
}

const capacity = 4096;
/** This many different messages of one kind within the interval are reported as one event. */
const aggregateAfter = 10;
const aggregateWithinMs = 600_000;
const spamBurst = 25;
const spamRefillPerMs = 1 / 300_000;

interface Aggregate {
  lastAt: number;
  readonly messages: Set<string>;
}

interface Logged {
  readonly name: string;
  count: number;
  readonly firstTimestamp: string;
}

/**
 * Keeps a noisy component from flooding the store, in three steps: a token bucket per source and object (25 at once, one
 * more every 5 minutes) drops what is too much; more than 10 distinct messages alike in all but the message within 10
 * minutes are reported as one; and an event reported before only raises its count. Remembers the 4096 latest of each.
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

  /** The event to report, and the key under which repetitions of it are found. */
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
    // The group's memory stays as small as its limit.
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
      // A dropped event still raises the count that the next one reports.
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

function sourceKey({ source, involvedObject: o }: EventObject): string {
  return [source.component, source.host, o.kind, o.namespace, o.name, o.uid, o.apiVersion].join("\n");
}

function similarityKey(event: EventObject): string {
  return `${sourceKey(event)}\n${event.type}\n${event.reason}\n${event.reportingComponent}\n${event.reportingInstance}`;
}

function identityKey(event: EventObject): string {
  return `${similarityKey(event)}\n${event.involvedObject.fieldPath}\n${event.message}`;
}
