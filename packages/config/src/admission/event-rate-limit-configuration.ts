import { z } from "zod";
import { type DeepReadonly, int32 } from "../values.ts";

/**
 * One limit. An event must have a token in the bucket of every limit that applies to it, or it is rejected with 429.
 */
const limit = z.strictObject({
  /** What shares a bucket: everything, each namespace, each user, or each pair of source and object. */
  type: z.enum(["Server", "Namespace", "User", "SourceAndObject"]),
  /** Tokens that a bucket gains each second, which is the rate of events in the long run. */
  qps: int32(1),
  /** Capacity of a bucket: events that are accepted at once. */
  burst: int32(1),
  /**
   * Number of buckets that are kept; the least recently used one is dropped, and its user starts with a full bucket
   * again. 0 means the default. @default 4096
   */
  cacheSize: int32(0)
    .default(0)
    .transform((size) => (size === 0 ? 4096 : size)),
});

/** The configuration of admission plugin EventRateLimit. */
export const eventRateLimitConfigurationSchema = z.strictObject({
  apiVersion: z.literal("eventratelimit.admission.o8s.io/v1alpha1"),
  kind: z.literal("Configuration"),
  limits: z.array(limit).min(1),
});

/** Limits for the rate at which events are accepted. */
export type EventRateLimitConfiguration = DeepReadonly<
  Pick<z.output<typeof eventRateLimitConfigurationSchema>, "limits">
>;
