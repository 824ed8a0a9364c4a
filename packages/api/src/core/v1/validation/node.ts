import { type FieldError, field, parseCidr } from "@orchernetes/apimachinery";
import { semanticEqual } from "../../../shared/immutable.ts";
import { repeatedItems } from "../../../shared/repeated.ts";
import { nonNegativeQuantity, validateQuantity } from "../../../shared/resource-lists.ts";
import type { Node } from "../types/node.ts";
import { validateTaints } from "./tolerations.ts";

/** Validates a node, on creates and updates. */
export function validateNode(node: Node): FieldError[] {
  const errors: FieldError[] = [];
  // The path of taints is the one they had when they were an annotation, as in Kubernetes 1.27.
  validateTaints(node.spec.taints, field("metadata", "taints"), errors);
  for (const list of ["capacity", "allocatable"] as const) {
    for (const [name, amount] of Object.entries(node.status?.[list] ?? {})) {
      const at = field("status", list, name);
      const negative = nonNegativeQuantity(amount, at);
      errors.push(...(negative.length > 0 ? negative : validateQuantity(name, amount, at)));
    }
  }
  errors.push(...validatePodCidrs(node.spec.podCIDRs ?? []));
  return errors;
}

function validatePodCidrs(cidrs: readonly string[]): FieldError[] {
  const at = field("spec", "podCIDRs");
  const errors = cidrs.flatMap((cidr, i) =>
    parseCidr(cidr) === undefined ? [field.invalid(at.index(i), cidrs, "must be valid CIDR")] : [],
  );
  if (cidrs.length < 2 || errors.length > 0) {
    return errors;
  }
  const families = new Set(cidrs.map((cidr) => parseCidr(cidr)?.address.length));
  if (cidrs.length > 2 || families.size < 2) {
    errors.push(field.invalid(at, cidrs, "may specify no more than one CIDR for each IP family"));
  }
  for (const i of repeatedItems(cidrs, (cidr) => cidr)) errors.push(field.duplicate(at.index(i), cidrs[i]));
  return errors;
}

/**
 * Validates an update of a node. Its pod CIDRs and its identity at the provider can be set once: routes and volumes
 * depend on them.
 */
export function validateNodeUpdate(node: Node, old: Node): FieldError[] {
  const errors = validateNode(node);
  const seen = new Set<string>();
  for (const [i, { type, address }] of (node.status.addresses ?? []).entries()) {
    if (seen.has(`${type}\n${address}`)) {
      errors.push(field.duplicate(field("status", "addresses").index(i), address));
    }
    seen.add(`${type}\n${address}`);
  }
  const { podCIDR, podCIDRs, providerID, externalID } = old.spec;
  const addressed = (podCIDRs ?? []).length > 0;
  if (addressed && !(semanticEqual(node.spec.podCIDRs, podCIDRs) && node.spec.podCIDR === podCIDR)) {
    const detail = 'node updates may not change podCIDR except from "" to valid';
    errors.push(field.forbidden("spec.podCIDRs", detail));
  }
  if (providerID && node.spec.providerID !== providerID) {
    const detail = 'node updates may not change providerID except from "" to valid';
    errors.push(field.forbidden("spec.providerID", detail));
  }
  if ((node.spec.externalID ?? "") !== (externalID ?? "")) {
    errors.push(field.forbidden("spec.externalID", "may not be updated"));
  }
  return errors;
}
