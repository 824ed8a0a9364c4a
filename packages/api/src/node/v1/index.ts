import { resourceDefinitions } from "@orchernetes/apimachinery";
import { runtimeClasses } from "./runtime-class.ts";

export * from "./runtime-class.ts";

/** Resources of `node.o8s.io/v1`. */
export const nodeV1 = resourceDefinitions(runtimeClasses);
