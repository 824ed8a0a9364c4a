import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { erase } from "../../meta/erase.ts";
import { horizontalPodAutoscalers } from "./horizontal-pod-autoscaler.ts";

/** Resources of `autoscaling/v2`. */
export const autoscalingV2: readonly ResourceDefinition[] = [erase(horizontalPodAutoscalers)];
