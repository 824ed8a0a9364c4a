import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { erase } from "../../meta/erase.ts";
import { apiServices } from "./api-service.ts";

/** Resources of `apiregistration.o8s.io/v1`. */
export const apiregistrationV1: readonly ResourceDefinition[] = [erase(apiServices)];
