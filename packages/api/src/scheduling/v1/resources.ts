import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { erase } from "../../meta/erase.ts";
import { priorityClasses } from "./priority-class.ts";

/** Resources of `scheduling.o8s.io/v1`. */
export const schedulingV1: readonly ResourceDefinition[] = [erase(priorityClasses)];
