import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { erase } from "../../meta/erase.ts";
import { ingresses } from "./ingress.ts";
import { ingressClasses } from "./ingress-class.ts";
import { networkPolicies } from "./network-policy.ts";

/** Resources of `networking.o8s.io/v1`. */
export const networkingV1: readonly ResourceDefinition[] = [
  erase(ingressClasses),
  erase(ingresses),
  erase(networkPolicies),
];
