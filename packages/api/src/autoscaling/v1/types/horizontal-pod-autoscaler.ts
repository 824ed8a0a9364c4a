import {
  type Infer,
  int32,
  int64,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  optional,
  pointer,
  required,
  string,
  time,
  value,
} from "@orchernetes/apimachinery";

const pkg = "autoscaling/v1";

export const CrossVersionObjectReference = message(
  pkg,
  "CrossVersionObjectReference",
  () => ({
    kind: required(1, string),
    name: required(2, string),
    apiVersion: optional(3, string),
  }),
  { atomic: true },
);
export interface CrossVersionObjectReference extends Infer<typeof CrossVersionObjectReference> {}

export const HorizontalPodAutoscalerSpec = message(pkg, "HorizontalPodAutoscalerSpec", () => ({
  scaleTargetRef: required(1, CrossVersionObjectReference),
  minReplicas: pointer(2, int32),
  maxReplicas: required(3, int32),
  targetCPUUtilizationPercentage: pointer(4, int32),
}));
export interface HorizontalPodAutoscalerSpec extends Infer<typeof HorizontalPodAutoscalerSpec> {}

export const HorizontalPodAutoscalerStatus = message(pkg, "HorizontalPodAutoscalerStatus", () => ({
  observedGeneration: pointer(1, int64),
  lastScaleTime: pointer(2, time),
  currentReplicas: required(3, int32),
  desiredReplicas: required(4, int32),
  currentCPUUtilizationPercentage: pointer(5, int32),
}));
export interface HorizontalPodAutoscalerStatus extends Infer<typeof HorizontalPodAutoscalerStatus> {}

export const HorizontalPodAutoscaler = object(pkg, "HorizontalPodAutoscaler", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, HorizontalPodAutoscalerSpec),
  status: value(3, HorizontalPodAutoscalerStatus),
}));
export interface HorizontalPodAutoscaler extends Infer<typeof HorizontalPodAutoscaler> {}

export const HorizontalPodAutoscalerList = object(pkg, "HorizontalPodAutoscalerList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(HorizontalPodAutoscaler)),
}));
export interface HorizontalPodAutoscalerList extends Infer<typeof HorizontalPodAutoscalerList> {}
