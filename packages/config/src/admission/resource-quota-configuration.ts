import { z } from "zod";
import type { DeepReadonly } from "../values.ts";

const scope = z.strictObject({
  scopeName: z.string().min(1),
  operator: z.enum(["In", "NotIn", "Exists", "DoesNotExist"]),
  values: z.array(z.string()).default([]),
});

/**
 * A resource that may be consumed only where a quota limits it; without a quota its consumption is forbidden instead
 * of unlimited.
 */
const limitedResource = z.strictObject({
  /** Empty for the core group. */
  apiGroup: z.string().default(""),
  /** Plural name of the resource, such as `pods`. */
  resource: z.string().min(1),
  /**
   * Substrings of the names of compute resources, such as `requests.cpu`: what an object consumes of a matching one
   * must be limited by a quota.
   */
  matchContains: z.array(z.string()).default([]),
  /**
   * Scopes such as PriorityClass: an object that is in one of them must be in the scope of the same name of some
   * quota.
   */
  matchScopes: z.array(scope).default([]),
});

/** The kind of each version; it was renamed when the type moved to another group. */
const versions = {
  "apiserver.config.o8s.io/v1": "ResourceQuotaConfiguration",
  "resourcequota.admission.o8s.io/v1beta1": "Configuration",
  "resourcequota.admission.o8s.io/v1alpha1": "Configuration",
} as const;

/** The configuration of admission plugin ResourceQuota. */
export const resourceQuotaConfigurationSchema = z
  .strictObject({
    apiVersion: z.enum(Object.keys(versions) as (keyof typeof versions)[]),
    kind: z.enum(["ResourceQuotaConfiguration", "Configuration"]),
    limitedResources: z.array(limitedResource).default([]),
  })
  .superRefine(({ apiVersion, kind }, context) => {
    const want = versions[apiVersion];
    if (kind !== want) context.addIssue({ code: "custom", path: ["kind"], message: `want ${JSON.stringify(want)}` });
  });

/** Resources that may be consumed only under a quota that limits them. */
export type ResourceQuotaConfiguration = DeepReadonly<
  Pick<z.output<typeof resourceQuotaConfigurationSchema>, "limitedResources">
>;
