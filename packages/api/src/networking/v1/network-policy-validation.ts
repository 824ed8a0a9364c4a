import {
  type Cidr,
  type FieldError,
  type FieldPath,
  field,
  goSlice,
  isValidPortName,
  isValidPortNum,
  parseCidr,
  validateLabelSelector,
} from "@orchernetes/apimachinery";
import { report } from "../../shared/report.ts";
import type { IPBlock, NetworkPolicyPeer, NetworkPolicyPort, NetworkPolicySpec } from "./types.ts";

const protocols = ["TCP", "UDP", "SCTP"];
const policyTypes = ["Ingress", "Egress"];

/**
 * Validates a NetworkPolicy's spec. Rules of a direction that `policyTypes` does not name are allowed and have no
 * effect.
 */
export function validateNetworkPolicySpec(spec: NetworkPolicySpec, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [...validateLabelSelector(spec.podSelector, path.child("podSelector"))];
  for (const [i, rule] of (spec.ingress ?? []).entries()) {
    errors.push(...validateRule(rule.ports, rule.from, path.child("ingress").index(i), "from"));
  }
  for (const [i, rule] of (spec.egress ?? []).entries()) {
    errors.push(...validateRule(rule.ports, rule.to, path.child("egress").index(i), "to"));
  }
  const types: readonly string[] = spec.policyTypes ?? [];
  const at = path.child("policyTypes");
  if (types.length > policyTypes.length) {
    const printed = goSlice("networking.PolicyType", types);
    return [...errors, field.invalid(at, printed, "may not specify more than two policyTypes")];
  }
  const unknown = types.flatMap((type, i) =>
    policyTypes.includes(type) ? [] : [field.notSupported(at.index(i), type, policyTypes)],
  );
  return [...errors, ...unknown];
}

function validateRule(
  ports: readonly NetworkPolicyPort[] | undefined,
  peers: readonly NetworkPolicyPeer[] | undefined,
  path: FieldPath,
  direction: "from" | "to",
): FieldError[] {
  return [
    ...(ports ?? []).flatMap((port, i) => validatePort(port, path.child("ports").index(i))),
    ...(peers ?? []).flatMap((peer, i) => validatePeer(peer, path.child(direction).index(i))),
  ];
}

/**
 * Validates one port. A range (`endPort`, KEP-2079) needs a number to start at: a named port may have a different
 * number in each pod.
 */
function validatePort({ protocol, port, endPort }: NetworkPolicyPort, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (protocol !== undefined && !protocols.includes(protocol)) {
    errors.push(field.notSupported(path.child("protocol"), protocol, protocols));
  }
  const end = path.child("endPort");
  if (typeof port === "number") {
    report(errors, isValidPortNum(port), path, "port", port);
    if (endPort !== undefined) {
      if (endPort < port) {
        errors.push(field.invalid(end, endPort, "must be greater than or equal to `port`"));
      }
      report(errors, isValidPortNum(endPort), path, "endPort", endPort);
    }
    return errors;
  }
  if (port !== undefined) {
    if (endPort !== undefined) {
      errors.push(field.invalid(end, endPort, "may not be specified when `port` is non-numeric"));
    }
    report(errors, isValidPortName(port), path, "port", port);
  } else if (endPort !== undefined) {
    errors.push(field.invalid(end, endPort, "may not be specified when `port` is not specified"));
  }
  return errors;
}

/** Validates a peer: selectors, or a block of addresses. */
function validatePeer(peer: NetworkPolicyPeer, path: FieldPath): FieldError[] {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  const errors: FieldError[] = [
    ...validateLabelSelector(podSelector, path.child("podSelector")),
    ...validateLabelSelector(namespaceSelector, path.child("namespaceSelector")),
    ...(ipBlock === undefined ? [] : validateIPBlock(ipBlock, path.child("ipBlock"))),
  ];
  if (podSelector === undefined && namespaceSelector === undefined && ipBlock === undefined) {
    errors.push(field.required(path, "must specify a peer"));
  } else if (ipBlock !== undefined && (podSelector !== undefined || namespaceSelector !== undefined)) {
    errors.push(field.forbidden(path, "may not specify both ipBlock and another peer"));
  }
  return errors;
}

/** Validates a block of addresses. Exceptions must be strictly inside it: an equal one would make it empty. */
function validateIPBlock({ cidr, except }: IPBlock, path: FieldPath): FieldError[] {
  if (cidr === "") {
    return [field.required(path.child("cidr"))];
  }
  const outer = parseCidr(cidr);
  if (outer === undefined) {
    return [field.invalid(path.child("cidr"), cidr, "not a valid CIDR")];
  }
  const errors: FieldError[] = [];
  for (const [i, text] of (except ?? []).entries()) {
    const at = path.child("except").index(i);
    const inner = parseCidr(text);
    if (inner === undefined) {
      errors.push(field.invalid(at, text, "not a valid CIDR"));
    } else if (!isStrictSubset(inner, outer)) {
      errors.push(field.invalid(at, text, "must be a strict subset of `cidr`"));
    }
  }
  return errors;
}

/** Whether a range of addresses is inside another one and smaller. Compared bit by bit, for both families. */
function isStrictSubset(inner: Cidr, outer: Cidr): boolean {
  if (inner.address.length !== outer.address.length || inner.bits <= outer.bits) {
    return false;
  }
  for (let bit = 0; bit < outer.bits; bit++) {
    const mask = 0x80 >> (bit & 7);
    const byte = bit >> 3;
    if (((inner.address[byte] ?? 0) & mask) !== ((outer.address[byte] ?? 0) & mask)) {
      return false;
    }
  }
  return true;
}
