import { resourceDefinitions } from "@orchernetes/apimachinery";
import { apiServices } from "./api-service.ts";

export * from "./api-service.ts";

/** Resources of `apiregistration.o8s.io/v1`. */
export const apiregistrationV1 = resourceDefinitions(apiServices);
