import { z } from "zod";
import type { DeepReadonly } from "../values.ts";

const scope = z.strictObject({
  scopeName: z.string().min(1),
  operator: z.enum(["In", "NotIn", "Exists", "DoesNotExist"]),
  values: z.array(z.string()).default([]),
});

const limitedResource = z.strictObject({
  /** Empty for the core group. */
  apiGroup: z.string().default(""),
  /** In the plural: `pods`. */
  resource: z.string().min(1),
  /** What an object takes under a name that contains one of these, a quota must limit. */
  matchContains: z.array(z.string()).default([]),
  /** An object in one of these scopes must be in the scope of the same name of a quota. */
  matchScopes: z.array(scope).default([]),
});

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

/** What may be consumed only under a quota that limits it. */
export type ResourceQuotaConfiguration = DeepReadonly<
  Pick<z.output<typeof resourceQuotaConfigurationSchema>, "limitedResources">
>;
