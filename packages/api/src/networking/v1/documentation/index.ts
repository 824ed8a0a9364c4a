import type { TypeDocumentation } from "@orchernetes/apimachinery";
import { ingressDocumentation } from "./ingress.ts";
import { ingressClassDocumentation } from "./ingress-class.ts";
import { networkPolicyDocumentation } from "./network-policy.ts";

/** Texts of the types of networking.o8s.io/v1. */
export const documentation: TypeDocumentation = {
  ...ingressClassDocumentation,
  ...ingressDocumentation,
  ...networkPolicyDocumentation,
};
