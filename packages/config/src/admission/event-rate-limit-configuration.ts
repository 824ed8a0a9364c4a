import { z } from "zod";
import { type DeepReadonly, int32 } from "../values.ts";

const limit = z.strictObject({
  /** What shares a bucket: everything, each namespace, each user, or each pair of source and object. */
  type: z.enum(["Server", "Namespace", "User", "SourceAndObject"]),
  /** Events a second. */
  qps: int32(1),
  /** Events at once. */
  burst: int32(1),
  /** Buckets that are kept, the least recently used is dropped; 0 means the default. @default 4096 */
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

/** How many events are accepted. */
export type EventRateLimitConfiguration = DeepReadonly<
  Pick<z.output<typeof eventRateLimitConfigurationSchema>, "limits">
>;
