import { resourceDefinitions } from "@orchernetes/apimachinery";
import { priorityClasses } from "./priority-class.ts";

export * from "./priority-class.ts";

/** Resources of `scheduling.o8s.io/v1`. */
export const schedulingV1 = resourceDefinitions(priorityClasses);
