import { defineResource, field } from "@orchernetes/apimachinery";
import { allVerbs, subresourceVerbs } from "../../shared/definitions.ts";
import { keep } from "../../shared/drafts.ts";
import { autoscalerColumns } from "./columns.ts";
import { defaultAutoscaler } from "./defaults.ts";
import { HorizontalPodAutoscaler } from "./types.ts";
import { validateAutoscalerSpec, validateAutoscalerStatus } from "./validation.ts";

/** `autoscaling/v2` autoscalers: adjust the number of a workload's pods to its load. */
export const horizontalPodAutoscalers = defineResource<HorizontalPodAutoscaler>({
  group: "autoscaling",
  version: "v2",
  kind: "HorizontalPodAutoscaler",
  plural: "horizontalpodautoscalers",
  singular: "horizontalpodautoscaler",
  shortNames: ["hpa"],
  categories: ["all"],
  scope: "Namespaced",
  verbs: allVerbs,
  schema: HorizontalPodAutoscaler,
  storagePrefix: "/registry/horizontalpodautoscalers",
  applyDefaults: defaultAutoscaler,
  strategy: {
    prepareForCreate: (autoscaler) => {
      autoscaler.status = { desiredReplicas: 0 };
    },
    validate: ({ spec }, ctx) => validateAutoscalerSpec(spec, undefined, field("spec"), ctx),
    prepareForUpdate: (autoscaler, old) => keep(autoscaler, old, "status"),
    validateUpdate: ({ spec }, old, ctx) => validateAutoscalerSpec(spec, old.spec, field("spec"), ctx),
  },
  columns: autoscalerColumns((autoscaler) => autoscaler),
  subresources: {
    status: {
      type: "status",
      verbs: subresourceVerbs,
      strategy: {
        prepareForUpdate: (autoscaler, old) => keep(autoscaler, old, "spec"),
        validateUpdate: validateAutoscalerStatus,
      },
    },
  },
});
