import { z } from "zod";
import { tracingFields } from "../tracing/tracing-configuration.ts";
import { duration, int32, int64, quantity } from "../values.ts";

/**
 * How requests to the orchlet's server are authenticated. A certificate authority enables client certificates,
 * `webhook` lets the API server review tokens.
 */
export const orchletAuthentication = z.strictObject({
  x509: z.strictObject({ clientCAFile: z.string().default("") }).prefault({}),
  webhook: z
    .strictObject({ enabled: z.boolean().default(true), cacheTTL: duration({ minMs: 0 }).prefault("2m0s") })
    .prefault({}),
  anonymous: z.strictObject({ enabled: z.boolean().default(false) }).prefault({}),
});

/** How requests to the orchlet's server are authorized. `Webhook` asks the API server with a SubjectAccessReview. */
export const orchletAuthorization = z.strictObject({
  mode: z.enum(["AlwaysAllow", "Webhook"]).default("Webhook"),
  webhook: z
    .strictObject({
      cacheAuthorizedTTL: duration({ minMs: 0 }).prefault("5m0s"),
      cacheUnauthorizedTTL: duration({ minMs: 0 }).prefault("30s"),
    })
    .prefault({}),
});

/** The section `logging` of a component. */
export const loggingConfiguration = z.strictObject({
  format: z.enum(["text", "json"]).default("text"),
  /** A number of nanoseconds, or a duration text; the result is in milliseconds. */
  flushFrequency: z
    .union([
      z
        .int()
        .min(0)
        .transform((nanos) => nanos / 1e6),
      duration({ minMs: 0 }),
    ])
    .prefault("5s"),
  verbosity: int32(0).default(0),
  vmodule: z.array(z.strictObject({ filePattern: z.string().min(1), verbosity: int32(0) })).default([]),
  options: z
    .strictObject({
      json: z
        .strictObject({
          splitStream: z.boolean().default(false),
          infoBufferSize: z.union([z.int().min(0).transform(String), quantity()]).default("0"),
        })
        .prefault({}),
    })
    .prefault({}),
});

/** How pods may use swap (KEP-2400). */
export const memorySwapConfiguration = z.strictObject({
  swapBehavior: z.enum(["", "LimitedSwap", "UnlimitedSwap"]).default(""),
});

/** Seconds that pods of at least this priority have at a shutdown of the node (KEP-2712). */
export const shutdownGracePeriodByPodPriority = z.strictObject({
  priority: int32(),
  shutdownGracePeriodSeconds: int64(0),
});

/** Memory that is reserved for the system on a NUMA node (KEP-1769). */
export const memoryReservation = z.strictObject({
  numaNode: int32(0),
  limits: z
    .record(z.string(), quantity())
    .refine(
      (limits) => Object.keys(limits).every((type) => /^(memory|hugepages-.+)$/.test(type)),
      "want only the types memory and hugepages-<size>",
    )
    .refine((limits) => Object.values(limits).every((size) => !/^[+-]?0+(\.0*)?\D*$/.test(size)), "want no limit of 0"),
});

/** The section `tracing` (KEP-2831). */
export const tracingConfiguration = z.strictObject(tracingFields);

/**
 * A taint with which the node is registered. Having it from the first moment prevents pods from being scheduled
 * before an operator adds it.
 */
export const registrationTaint = z.strictObject({
  key: z.string().min(1),
  value: z.string().default(""),
  effect: z.enum(["NoSchedule", "PreferNoSchedule", "NoExecute"]),
});
