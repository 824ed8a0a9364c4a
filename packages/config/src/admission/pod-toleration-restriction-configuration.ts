import { z } from "zod";
import { type DeepReadonly, int64 } from "../values.ts";

/** A toleration with the validation that pods have, so that pods into which it is merged are valid. */
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
  /** Tolerations added to pods of namespaces without the annotation `defaultTolerations`. */
  default: z.array(toleration).default([]),
  /** Tolerations that pods may have in namespaces without the annotation `tolerationsWhitelist`; empty means any. */
  whitelist: z.array(toleration).default([]),
});

/** Tolerations of pods in namespaces whose annotations do not set them. */
export type PodTolerationRestrictionConfiguration = DeepReadonly<
  Pick<z.output<typeof podTolerationRestrictionConfigurationSchema>, "default" | "whitelist">
>;
