import { resourceDefinitions } from "@orchernetes/apimachinery";
import { flowSchemas } from "./flow-schema.ts";
import { priorityLevelConfigurations } from "./priority-level-configuration.ts";

export * from "./flow-schema.ts";
export * from "./priority-level-configuration.ts";
export * from "./types.ts";

/** Resources of `flowcontrol.apiserver.o8s.io/v1beta2`. */
export const flowcontrolV1beta2 = resourceDefinitions(flowSchemas, priorityLevelConfigurations);
