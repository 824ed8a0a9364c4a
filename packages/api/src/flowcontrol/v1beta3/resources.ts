import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { erase } from "../../meta/erase.ts";
import { flowSchemas } from "./flow-schema.ts";
import { priorityLevelConfigurations } from "./priority-level-configuration.ts";

/** Resources of `flowcontrol.apiserver.o8s.io/v1beta3`. */
export const flowcontrolV1beta3: readonly ResourceDefinition[] = [
  erase(flowSchemas),
  erase(priorityLevelConfigurations),
];
