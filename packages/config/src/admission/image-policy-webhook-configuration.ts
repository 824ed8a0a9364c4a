import { z } from "zod";
import type { DeepReadonly } from "../values.ts";

/**
 * A time in units of `unitMs`; 0 means the default, -1 none at all. The result is in milliseconds. The units differ
 * by field, as in Kubernetes.
 */
const time = (unitMs: number, defaultMs: number, minMs: number, maxMs: number) =>
  z
    .int()
    .default(0)
    .transform((value, context) => {
      if (value === 0) return defaultMs;
      if (value === -1) return 0;
      const ms = value * unitMs;
      if (ms >= minMs && ms <= maxMs) return ms;
      context.addIssue({
        code: "custom",
        message: `want ${minMs / unitMs} to ${maxMs / unitMs}, 0 for ${defaultMs / unitMs}, or -1 for none`,
      });
      return z.NEVER;
    });

/** The configuration of admission plugin ImagePolicyWebhook; it has no version. */
export const imagePolicyWebhookConfigurationSchema = z.strictObject({
  imagePolicy: z.strictObject({
    /** Client configuration file with the address of the review service and the credentials for it. */
    orchConfigFile: z.string().min(1),
    /** Seconds for which an approval is remembered. */
    allowTTL: time(1000, 300_000, 1000, 1_800_000),
    /** Seconds for which a refusal is remembered. */
    denyTTL: time(1000, 30_000, 1000, 1_800_000),
    /** Milliseconds before the first retry. */
    retryBackoff: time(1, 500, 1, 300_000),
    /** Whether pods are admitted when the service does not respond: true favours availability, false safety. */
    defaultAllow: z.boolean().default(false),
  }),
});

/** Where images are reviewed; times are in milliseconds. */
export type ImagePolicyWebhookConfiguration = DeepReadonly<z.output<typeof imagePolicyWebhookConfigurationSchema>>;
