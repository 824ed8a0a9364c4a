import { type Control, judged, unknown } from "../../control.ts";
import type { NodeFacts } from "../../evidence/evidence.ts";
import { userNamespaces } from "../../evidence/user-namespaces.ts";
import { objectControl } from "../shared/object-control.ts";

const isolation = objectControl({
  number: "5.3.2",
  title: "Every namespace has network policies",
  severity: "warn",
  what: "namespaces without one",
  none: "every namespace of users has one",
  remedy: "create a NetworkPolicy in each namespace, first one that denies everything",
  offenders: ({ namespaces, networkPolicies }) => {
    const covered = new Set(networkPolicies.map(({ metadata }) => metadata.namespace));
    return userNamespaces({ namespaces }).filter((namespace) => !covered.has(namespace));
  },
});

const enforcement: Control = {
  number: "5.3.1",
  title: "Network policies are enforced",
  severity: "warn",
  remedy:
    "run orch-proxy with nftables and --enable-network-policy on each node, or a network plugin that enforces them",
  judge({ nodes }) {
    const named = (some: readonly NodeFacts[]) => some.map(({ name }) => name).join(", ");
    const unseen = nodes.filter(({ proxy }) => proxy === undefined);
    if (nodes.length === 0 || unseen.length > 0)
      return unknown(`no orch-proxy can be asked on nodes: ${named(unseen)}; a network plugin may enforce policies`);
    const without = nodes.filter(({ proxy }) => proxy?.enforcesPolicies !== true);
    const found = without.length === 0 ? "orch-proxy enforces them on every node" : `nodes without: ${named(without)}`;
    return judged(without.length === 0, found, nodes.map(({ proxy }) => proxy?.source ?? "").join(", "));
  },
};

/** Section 5.3: network policies. */
export const network: readonly Control[] = [enforcement, isolation];
