import type { AdmissionPlugin } from "@orchernetes/apiserver";
import { checkPods } from "./unenforced-pods.ts";

/**
 * Warns about what is stored but not enforced. An object whose author would rely on requests being denied is rejected instead.
 */
export const unenforcedPolicies: AdmissionPlugin = {
  name: "UnenforcedPolicies",
  handles: (operation) => operation === "CREATE" || operation === "UPDATE",
  validate(attributes, context) {
    if (attributes.subresource === "") checkPods(attributes, context);
  },
};
