import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { erase } from "../../meta/erase.ts";
import { endpointSlices } from "./endpoint-slice.ts";

/** Resources of `discovery.o8s.io/v1`. */
export const discoveryV1: readonly ResourceDefinition[] = [erase(endpointSlices)];
