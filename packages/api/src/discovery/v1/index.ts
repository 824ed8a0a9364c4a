import { resourceDefinitions } from "@orchernetes/apimachinery";
import { endpointSlices } from "./endpoint-slice.ts";

export * from "./endpoint-slice.ts";
export * from "./types.ts";

/** Resources of `discovery.o8s.io/v1`. */
export const discoveryV1 = resourceDefinitions(endpointSlices);
