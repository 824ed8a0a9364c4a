import type { networking } from "@orchernetes/api";
import type { AdmissionAttributes, AdmissionContext, AdmissionPlugin } from "@orchernetes/apiserver";
import { isAbout, objectsAs } from "./shared/attributes.ts";
import { isSame } from "./shared/is-same.ts";
import { checkPods } from "./unenforced-pods.ts";

/** Warns when the spec is new or changed; changes of metadata need no warning. */
function checkNetworkPolicy(attributes: AdmissionAttributes, { warn }: AdmissionContext): void {
  const { object, oldObject } = objectsAs<networking.NetworkPolicy>(attributes);
  if (oldObject !== undefined && isSame(object?.spec, oldObject.spec)) return;
  warn(
    "network policies are left to the network plugin of the nodes: without one that enforces them, such as the plugin of a local cluster, this policy has no effect",
  );
}

/**
 * Warns about what is stored but not enforced. An object whose author would rely on requests being denied is rejected instead.
 */
export const unenforcedPolicies: AdmissionPlugin = {
  name: "UnenforcedPolicies",
  handles: (operation) => operation === "CREATE" || operation === "UPDATE",
  validate(attributes, context) {
    const { subresource } = attributes;
    if (subresource !== "") return;
    if (isAbout(attributes, "networking.o8s.io", "networkpolicies")) return checkNetworkPolicy(attributes, context);
    checkPods(attributes, context);
  },
};
