import { createHash } from "node:crypto";
import type { core } from "@orchernetes/api";
import { tooManyRequestsError } from "@orchernetes/apimachinery";
import type { AdmissionAttributes } from "@orchernetes/apiserver";
import type { EventRateLimitConfiguration } from "@orchernetes/config";
import { assertNever } from "@orchernetes/kernel";
import { objectsAs } from "./shared/attributes.ts";
import type { ConfiguredPlugin } from "./shared/plugin.ts";

type Limit = EventRateLimitConfiguration["limits"][number];

/** What has been taken from an allowance that grows back. */
interface Bucket {
  /** Thousandths of an event at `atMs`: whole numbers, so that nothing is lost in the sum. */
  thousandths: number;
  atMs: number;
}

/** Takes one from the allowance, if there is one. Time that goes backwards adds nothing. */
function take(bucket: Bucket, { qps, burst }: Limit, nowMs: number): boolean {
  const passedMs = Math.max(0, nowMs - bucket.atMs);
  bucket.thousandths = Math.min(burst * 1000, bucket.thousandths + passedMs * qps);
  bucket.atMs = Math.max(bucket.atMs, nowMs);
  if (bucket.thousandths < 1000) return false;
  bucket.thousandths -= 1000;
  return true;
}

/** What shares a bucket with this event. */
function keyOf(type: Limit["type"], attributes: AdmissionAttributes): string {
  switch (type) {
    case "Server":
      return "";
    case "Namespace":
      return attributes.namespace;
    case "User":
      return attributes.user.name;
    case "SourceAndObject": {
      const { source, involvedObject: about } = objectsAs<core.Event>(attributes).object ?? {};
      const parts = [source?.component, source?.host, about?.kind, about?.namespace, about?.name, about?.uid];
      return [...parts, about?.apiVersion].map((part) => part ?? "").join("");
    }
    default:
      return assertNever(type);
  }
}

/** Longest key that is kept as it is, in characters. */
const MAX_KEY_LENGTH = 256;
/** Characters of a longer one that are shown before its digest. */
const SHOWN = 64;

/** A key as it is kept: thousands of long ones, which events may have as they like, would fill the memory. */
function shortened(key: string): string {
  if (key.length <= MAX_KEY_LENGTH) return key;
  const digest = createHash("sha256").update(key).digest("base64url");
  // A copy: what is cut from a text keeps all of it in memory.
  return `${Buffer.from(key.slice(0, SHOWN)).toString()}… (${key.length} characters, ${digest})`;
}

/** One limit and its token buckets. If there are too many, the least recently used bucket is removed. */
class Enforcer {
  readonly #buckets = new Map<string, Bucket>();
  readonly #limit: Limit;

  constructor(limit: Limit) {
    this.#limit = limit;
  }

  /** Why the event is not accepted. */
  refusal(attributes: AdmissionAttributes, nowMs: number): string | undefined {
    const { type, burst, cacheSize } = this.#limit;
    const key = shortened(keyOf(type, attributes));
    const bucket = this.#buckets.get(key) ?? { thousandths: burst * 1000, atMs: nowMs };
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > cacheSize) {
      const [oldest = key] = this.#buckets.keys();
      this.#buckets.delete(oldest);
    }
    return take(bucket, this.#limit, nowMs) ? undefined : `limit reached on type ${type} for key ${key}`;
  }
}

/** Plugin EventRateLimit: events of the core group are accepted up to the configured rates, others get 429. */
export const eventRateLimit: ConfiguredPlugin = {
  name: "EventRateLimit",
  create({ configuration }) {
    const enforcers = (configuration.EventRateLimit?.limits ?? []).map((limit) => new Enforcer(limit));
    return {
      name: "EventRateLimit",
      handles: (operation) => operation === "CREATE" || operation === "UPDATE",
      validate(attributes, { now }) {
        const { kind, dryRun } = attributes;
        if (kind.group !== "" || kind.kind !== "Event" || dryRun) return;
        // Every limit counts the event, also when another has been reached.
        const reasons = enforcers.flatMap((enforcer) => enforcer.refusal(attributes, now.getTime()) ?? []);
        const [first, ...more] = new Set(reasons);
        if (first !== undefined)
          throw tooManyRequestsError(more.length === 0 ? first : `[${[first, ...more].join(", ")}]`);
      },
    };
  },
};
