import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { erase } from "../../meta/erase.ts";
import { podDisruptionBudgets } from "./pod-disruption-budget.ts";

/** Resources of `policy/v1`. */
export const policyV1: readonly ResourceDefinition[] = [erase(podDisruptionBudgets)];
