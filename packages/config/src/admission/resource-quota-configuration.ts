import { z } from "zod";
import type { DeepReadonly } from "../values.ts";

const scope = z.strictObject({
  scopeName: z.enum([
    "Terminating",
    "NotTerminating",
    "BestEffort",
    "NotBestEffort",
    "PriorityClass",
    "CrossNamespacePodAffinity",
  ]),
  operator: z.enum(["In", "NotIn", "Exists", "DoesNotExist"]),
  values: z.array(z.string()).optional(),
});

const limitedResource = z.strictObject({
  apiGroup: z.string().default(""),
  resource: z.string().min(1),
  /** Parts of names of counted resources. */
  matchContains: z.array(z.string()).default([]),
  matchScopes: z.array(scope).default([]),
});

/** The configuration of admission plugin ResourceQuota. */
export const resourceQuotaConfigurationSchema = z
  .strictObject({
    apiVersion: z.enum([
      "apiserver.config.o8s.io/v1",
      "resourcequota.admission.o8s.io/v1",
      "resourcequota.admission.o8s.io/v1beta1",
      "resourcequota.admission.o8s.io/v1alpha1",
    ]),
    kind: z.enum(["ResourceQuotaConfiguration", "Configuration"]),
    limitedResources: z.array(limitedResource).default([]),
  })
  .superRefine(({ apiVersion, kind }, context) => {
    const want = apiVersion.startsWith("apiserver.") ? "ResourceQuotaConfiguration" : "Configuration";
    if (kind !== want) context.addIssue({ code: "custom", path: ["kind"], message: `want ${JSON.stringify(want)}` });
  });

/** What may only be used where a quota covers it. */
export type ResourceQuotaConfiguration = DeepReadonly<
  Pick<z.output<typeof resourceQuotaConfigurationSchema>, "limitedResources">
>;
