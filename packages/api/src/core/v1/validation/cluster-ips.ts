import { type FieldError, type FieldPath, field, isValidIP, parseIp } from "@orchernetes/apimachinery";
import type { ServiceSpec } from "../types/service.ts";

const families: readonly string[] = ["IPv4", "IPv6"];
const policies: readonly string[] = ["PreferDualStack", "RequireDualStack", "SingleStack"];
const onePerFamily = "may specify no more than one IP for each IP family";

/** Validates addresses and families of a service: well formed and consistent. Absent ones are set by the allocator. */
export function validateClusterIPs(spec: ServiceSpec, path: FieldPath, errors: FieldError[]): void {
  if (spec.type === "ExternalName") {
    return;
  }
  const at = path.child("clusterIPs");
  const { clusterIP = "", clusterIPs = [] } = spec;
  if (clusterIP !== "" && clusterIPs[0] !== clusterIP) {
    errors.push(field.invalid(at, clusterIPs, "first value must match `clusterIP`"));
  } else if (clusterIP === "" && clusterIPs.length > 0) {
    errors.push(field.invalid(at, clusterIPs, "must be empty when `clusterIP` is not specified"));
  }
  validateFamilies(spec, path, errors);
  if (clusterIPs.length > 2) {
    errors.push(field.invalid(at, clusterIPs, "may only hold up to 2 values"));
  }
  const before = errors.length;
  for (const [i, ip] of clusterIPs.entries()) {
    if (ip !== "None") {
      errors.push(...isValidIP(ip).map((message) => field.invalid(at.index(i), ip, message)));
    } else if (i > 0 || clusterIPs.length > 1) {
      errors.push(field.invalid(at.index(i), ip, "'None' must be the first and only value"));
    }
  }
  if (errors.length > before || clusterIPs.length !== 2) {
    return;
  }
  if (parseIp(clusterIPs[0] ?? "")?.length === parseIp(clusterIPs[1] ?? "")?.length) {
    errors.push(field.invalid(at, clusterIPs, onePerFamily));
  }
}

/** Validates IP families, their policy, and that each address is of its family. */
function validateFamilies(spec: ServiceSpec, path: FieldPath, errors: FieldError[]): void {
  const { ipFamilies = [], ipFamilyPolicy, clusterIPs = [] } = spec;
  const at = path.child("ipFamilies");
  if (ipFamilies.length > 2) {
    errors.push(field.invalid(at, ipFamilies, "may only hold up to 2 values"));
  }
  for (const [i, family] of ipFamilies.entries()) {
    if (!families.includes(family)) {
      errors.push(field.notSupported(at.index(i), family, families));
    } else if (ipFamilies.indexOf(family) < i) {
      errors.push(field.duplicate(at.index(i), family));
    }
    const ip = clusterIPs[i];
    const length = ip === undefined ? undefined : parseIp(ip)?.length;
    if (length !== undefined && length !== (family === "IPv6" ? 16 : 4)) {
      const detail = `expected an ${family} value as indicated by \`ipFamilies[${i}]\``;
      errors.push(field.invalid(path.child("clusterIPs").index(i), ip, detail));
    }
  }
  if (ipFamilyPolicy !== undefined && !policies.includes(ipFamilyPolicy)) {
    errors.push(field.notSupported(path.child("ipFamilyPolicy"), ipFamilyPolicy, policies));
  }
}

/**
 * Validates an update of addresses and families. The first of each stays as long as the service has any; a second may
 * be added and removed (KEP-563).
 */
export function validateClusterIPsUpdate(spec: ServiceSpec, old: ServiceSpec, path: FieldPath): FieldError[] {
  if (spec.type === "ExternalName" || old.type === "ExternalName") {
    return [];
  }
  const errors: FieldError[] = [];
  for (const [name, label] of [
    ["clusterIPs", "clusterIP"],
    ["ipFamilies", "ipFamily"],
  ] as const) {
    const before = old[name] ?? [];
    const after = spec[name] ?? [];
    if (before[0] === undefined) {
      continue;
    }
    const at = path.child(name);
    if (after[0] === undefined) {
      errors.push(field.invalid(at.index(0), spec[name], `primary ${label} can not be unset`));
      continue;
    }
    for (const [i, value] of before.slice(0, before.length === after.length ? undefined : 1).entries()) {
      if (value !== after[i]) {
        errors.push(field.invalid(at.index(i), spec[name], "may not change once set"));
      }
    }
    errors.push(...validateSecondary(spec.ipFamilyPolicy, before.length, after.length, label, path));
  }
  return errors;
}

/**
 * Validates that a second address or family is added and removed together with the policy, so that a client that does
 * not know dual-stack cannot remove it by accident (KEP-563).
 */
function validateSecondary(
  policy: ServiceSpec["ipFamilyPolicy"],
  before: number,
  after: number,
  label: string,
  path: FieldPath,
): FieldError[] {
  const single = policy === undefined || policy === "SingleStack";
  const invalid = (detail: string) => [field.invalid(path.child("ipFamilyPolicy"), policy, detail)];
  if (after === 1 && before > 1 && policy !== "SingleStack") {
    return invalid(`must be set to 'SingleStack' when releasing the secondary ${label}`);
  }
  return after === 2 && before < 2 && single
    ? invalid(`must be set to PreferDualStack or RequireDualStack when adding a secondary ${label}`)
    : [];
}
