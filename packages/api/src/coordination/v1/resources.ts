import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { erase } from "../../meta/erase.ts";
import { leases } from "./lease.ts";

/** Resources of `coordination.o8s.io/v1`. */
export const coordinationV1: readonly ResourceDefinition[] = [erase(leases)];
