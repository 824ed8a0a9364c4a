import { z } from "zod";
import { type DeepReadonly, int64 } from "../values.ts";

const toleration = z
  .strictObject({
    key: z.string().optional(),
    operator: z.enum(["Exists", "Equal"]).optional(),
    value: z.string().optional(),
    effect: z.enum(["NoSchedule", "PreferNoSchedule", "NoExecute"]).optional(),
    tolerationSeconds: int64().optional(),
  })
  .superRefine(({ key, operator, value, effect, tolerationSeconds }, context) => {
    const refuse = (field: string, message: string) => context.addIssue({ code: "custom", path: [field], message });
    if (!key && operator !== "Exists") refuse("operator", 'want "Exists" when key is empty');
    if (operator === "Exists" && value) refuse("value", 'want it empty when operator is "Exists"');
    if (tolerationSeconds !== undefined && effect !== "NoExecute")
      refuse("effect", 'want "NoExecute" when tolerationSeconds is set');
  });

/** The configuration of admission plugin PodTolerationRestriction. */
export const podTolerationRestrictionConfigurationSchema = z.strictObject({
  apiVersion: z.literal("podtolerationrestriction.admission.o8s.io/v1alpha1"),
  kind: z.literal("Configuration"),
  /** What pods tolerate whose namespace says nothing of it. */
  default: z.array(toleration).default([]),
  /** What pods may tolerate whose namespace says nothing of it; empty means anything. */
  whitelist: z.array(toleration).default([]),
});

/** Tolerations for namespaces that choose none. */
export type PodTolerationRestrictionConfiguration = DeepReadonly<
  Pick<z.output<typeof podTolerationRestrictionConfigurationSchema>, "default" | "whitelist">
>;
