import { resourceDefinitions } from "@orchernetes/apimachinery";
import { leases } from "./lease.ts";

export * from "./lease.ts";

/** Resources of `coordination.o8s.io/v1`. */
export const coordinationV1 = resourceDefinitions(leases);
