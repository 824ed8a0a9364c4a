import { resourceDefinitions } from "@orchernetes/apimachinery";
import { horizontalPodAutoscalers } from "./horizontal-pod-autoscaler.ts";

export * from "./horizontal-pod-autoscaler.ts";
export * from "./types.ts";

/** Resources of `autoscaling/v2`. */
export const autoscalingV2 = resourceDefinitions(horizontalPodAutoscalers);
