import { type Control, judged, notApplicable, unknown } from "../../control.ts";
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

/** Section 5.3: network policies. */
export const network: readonly Control[] = [
  {
    number: "5.3.1",
    title: "Network policies are enforced",
    severity: "warn",
    remedy: "install a network plugin that enforces them",
    judge({ networkPolicyWarning }) {
      if (networkPolicyWarning === undefined) return unknown("a network policy cannot be tried by this client");
      const found =
        networkPolicyWarning === ""
          ? "the API server warns about nothing"
          : `the API server warns: ${networkPolicyWarning}`;
      return judged(networkPolicyWarning === "", found, "a network policy created with dryRun");
    },
  },
  {
    ...isolation,
    judge: (evidence) =>
      (evidence.networkPolicyWarning ?? "") === ""
        ? isolation.judge(evidence)
        : notApplicable("nothing enforces network policies, see 5.3.1"),
  },
];
