import { type Draft, defineResource, field, formatLabelSelector } from "@orchernetes/apimachinery";
import { age, column, name } from "../../shared/columns.ts";
import { allVerbs, subresourceVerbs } from "../../shared/definitions.ts";
import { keep } from "../../shared/drafts.ts";
import { validateNetworkPolicySpec } from "./network-policy-validation.ts";
import { NetworkPolicy } from "./types.ts";

/** Sets the defaults of a NetworkPolicy: TCP ports; it applies to ingress, and to egress if it has egress rules. */
function defaultNetworkPolicy({ spec }: Draft<NetworkPolicy>): void {
  for (const rule of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) {
    for (const port of rule.ports ?? []) {
      port.protocol ??= "TCP";
    }
  }
  if ((spec.policyTypes ?? []).length === 0) {
    spec.policyTypes = (spec.egress ?? []).length > 0 ? ["Ingress", "Egress"] : ["Ingress"];
  }
}

/** `networking.o8s.io/v1` network policies: the traffic that pods may receive and send. */
export const networkPolicies = defineResource<NetworkPolicy>({
  group: "networking.o8s.io",
  version: "v1",
  kind: "NetworkPolicy",
  plural: "networkpolicies",
  singular: "networkpolicy",
  shortNames: ["netpol"],
  scope: "Namespaced",
  verbs: allVerbs,
  schema: NetworkPolicy,
  storagePrefix: "/registry/networkpolicies",
  applyDefaults: defaultNetworkPolicy,
  strategy: {
    prepareForCreate: (policy) => {
      policy.status = {};
    },
    validate: ({ spec }) => validateNetworkPolicySpec(spec, field("spec")),
    prepareForUpdate: (policy, old) => keep(policy, old, "status"),
    validateUpdate: ({ spec }) => validateNetworkPolicySpec(spec, field("spec")),
    generation: ({ spec }) => spec,
  },
  columns: [
    name(),
    column("Pod-Selector", "string", "Pods that the policy applies to.", ({ spec }) =>
      formatLabelSelector(spec.podSelector),
    ),
    age(),
  ],
  subresources: {
    status: {
      type: "status",
      verbs: subresourceVerbs,
      strategy: { prepareForUpdate: (policy, old) => keep(policy, old, "spec") },
    },
  },
});
