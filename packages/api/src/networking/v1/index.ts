import { resourceDefinitions } from "@orchernetes/apimachinery";
import { ingresses } from "./ingress.ts";
import { ingressClasses } from "./ingress-class.ts";
import { networkPolicies } from "./network-policy.ts";

export * from "./ingress.ts";
export * from "./ingress-class.ts";
export * from "./network-policy.ts";
export * from "./types.ts";

/** Resources of `networking.o8s.io/v1`. */
export const networkingV1 = resourceDefinitions(ingressClasses, ingresses, networkPolicies);
