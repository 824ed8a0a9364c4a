import { resourceDefinitions } from "@orchernetes/apimachinery";
import { horizontalPodAutoscalers } from "./horizontal-pod-autoscaler.ts";

export * from "./horizontal-pod-autoscaler.ts";
export * from "./types.ts";

/** Resources of `autoscaling/v1`. */
export const autoscalingV1 = resourceDefinitions(horizontalPodAutoscalers);
