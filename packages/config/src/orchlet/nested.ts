import { z } from "zod";
import { tracingFields } from "../tracing/tracing-configuration.ts";
import { duration, int32, int64, quantity } from "../values.ts";

/** How requests to the agent's server are authenticated. */
export const orchletAuthentication = z.strictObject({
  x509: z.strictObject({ clientCAFile: z.string().default("") }).prefault({}),
  webhook: z
    .strictObject({ enabled: z.boolean().default(true), cacheTTL: duration({ minMs: 0 }).prefault("2m0s") })
    .prefault({}),
  anonymous: z.strictObject({ enabled: z.boolean().default(false) }).prefault({}),
});

/** How requests to the agent's server are authorized. */
export const orchletAuthorization = z.strictObject({
  mode: z.enum(["AlwaysAllow", "Webhook"]).default("Webhook"),
  webhook: z
    .strictObject({
      cacheAuthorizedTTL: duration({ minMs: 0 }).prefault("5m0s"),
      cacheUnauthorizedTTL: duration({ minMs: 0 }).prefault("30s"),
    })
    .prefault({}),
});

/** The log of a component, as its configuration file has it. */
export const loggingConfiguration = z.strictObject({
  format: z.enum(["text", "json"]).default("text"),
  /** Nanoseconds as a number, or a duration text; milliseconds here. */
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

/** What pods may do with swap. */
export const memorySwapConfiguration = z.strictObject({
  swapBehavior: z.enum(["", "LimitedSwap", "UnlimitedSwap"]).default(""),
});

/** Seconds that pods of a priority and above get at shutdown. */
export const shutdownGracePeriodByPodPriority = z.strictObject({
  priority: int32(),
  shutdownGracePeriodSeconds: int64(0),
});

/** Memory kept on a NUMA node. */
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

/** Where spans go. */
export const tracingConfiguration = z.strictObject(tracingFields);

/** A taint the node is registered with. */
export const registrationTaint = z.strictObject({
  key: z.string().min(1),
  value: z.string().default(""),
  effect: z.enum(["NoSchedule", "PreferNoSchedule", "NoExecute"]),
});
