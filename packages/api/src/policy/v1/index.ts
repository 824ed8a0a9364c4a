import { resourceDefinitions } from "@orchernetes/apimachinery";
import { podDisruptionBudgets } from "./pod-disruption-budget.ts";

export * from "./pod-disruption-budget.ts";
export * from "./types.ts";

/** Resources of `policy/v1`. */
export const policyV1 = resourceDefinitions(podDisruptionBudgets);
