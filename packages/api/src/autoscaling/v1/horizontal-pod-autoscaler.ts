import { type Draft, defineResource, type FieldError, field } from "@orchernetes/apimachinery";
import type { ValidationContext } from "../../core/v1/validation/context.ts";
import { allVerbs, erase, subresourceVerbs } from "../../shared/definitions.ts";
import { keep } from "../../shared/drafts.ts";
import { autoscalerColumns } from "../v2/columns.ts";
import { defaultCpuUtilization } from "../v2/defaults.ts";
import { horizontalPodAutoscalers as stored } from "../v2/horizontal-pod-autoscaler.ts";
import { validateAutoscalerSpec, validateAutoscalerStatus } from "../v2/validation.ts";
import { annotations, fromV2, toV2 } from "./conversion.ts";
import { HorizontalPodAutoscaler } from "./types.ts";

/** Sets the defaults of autoscaling/v1: at least one replica, and 80 % of CPU if there are no metrics. */
export function defaultAutoscaler({ metadata, spec }: Draft<HorizontalPodAutoscaler>): void {
  spec.minReplicas ??= 1;
  if (spec.targetCPUUtilizationPercentage === undefined && metadata.annotations?.[annotations.metrics] === undefined) {
    spec.targetCPUUtilizationPercentage = defaultCpuUtilization;
  }
}

/** Validates the converted object: the rules of both versions are the same. */
function validate(
  autoscaler: HorizontalPodAutoscaler,
  old: HorizontalPodAutoscaler | undefined,
  ctx: ValidationContext,
): FieldError[] {
  return validateAutoscalerSpec(toV2(autoscaler).spec, old && toV2(old).spec, field("spec"), ctx);
}

/** `autoscaling/v1` autoscalers: the older view of objects that are stored as autoscaling/v2. */
export const horizontalPodAutoscalers = defineResource<HorizontalPodAutoscaler>({
  group: "autoscaling",
  version: "v1",
  kind: "HorizontalPodAutoscaler",
  plural: "horizontalpodautoscalers",
  singular: "horizontalpodautoscaler",
  shortNames: ["hpa"],
  categories: ["all"],
  scope: "Namespaced",
  verbs: allVerbs,
  schema: HorizontalPodAutoscaler,
  storagePrefix: "/registry/horizontalpodautoscalers",
  storedAs: { definition: erase(stored), toStored: toV2, fromStored: fromV2 },
  applyDefaults: defaultAutoscaler,
  strategy: {
    prepareForCreate: (autoscaler) => {
      autoscaler.status = { currentReplicas: 0, desiredReplicas: 0 };
    },
    validate: (autoscaler, ctx) => validate(autoscaler, undefined, ctx),
    prepareForUpdate: (autoscaler, old) => keep(autoscaler, old, "status"),
    validateUpdate: validate,
  },
  columns: autoscalerColumns(toV2),
  subresources: {
    status: {
      type: "status",
      verbs: subresourceVerbs,
      strategy: {
        prepareForUpdate: (autoscaler, old) => keep(autoscaler, old, "spec"),
        validateUpdate: (autoscaler) => validateAutoscalerStatus(toV2(autoscaler)),
      },
    },
  },
});
