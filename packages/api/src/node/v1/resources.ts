import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { erase } from "../../meta/erase.ts";
import { runtimeClasses } from "./runtime-class.ts";

/** Resources of `node.o8s.io/v1`. */
export const nodeV1: readonly ResourceDefinition[] = [erase(runtimeClasses)];
