import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { erase } from "../../meta/erase.ts";
import { horizontalPodAutoscalers } from "./horizontal-pod-autoscaler.ts";

/** Resources of `autoscaling/v1`. */
export const autoscalingV1: readonly ResourceDefinition[] = [erase(horizontalPodAutoscalers)];
