import type { core } from "@orchernetes/api";
import { type Draft, type FieldError, field } from "@orchernetes/apimachinery";
import type { IpRange } from "./ip-range.ts";

type Spec = Draft<core.ServiceSpec>;
type Family = IpRange["family"];

const policyPath = field("spec", "ipFamilyPolicy");

const sameList = (a: readonly string[] | undefined, b: readonly string[] | undefined): boolean =>
  (a ?? []).length === (b ?? []).length && (a ?? []).every((value, i) => value === b?.[i]);

const isHeadlessWithoutSelector = (spec: Spec): boolean =>
  spec.clusterIP === "None" && Object.keys(spec.selector ?? {}).length === 0;

const other = (family: string | undefined): Family => (family === "IPv4" ? "IPv6" : "IPv4");

const hasAddress = ({ type }: Pick<core.ServiceSpec, "type">): boolean => type !== "ExternalName";

/**
 * Whether an update of a PreferDualStack service leaves its families and addresses unchanged. Such a service neither gains nor
 * loses a family because the cluster did.
 */
export function keepsPreferredStacks(spec: Spec, old: core.ServiceSpec | undefined): boolean {
  return (
    old !== undefined &&
    spec.ipFamilyPolicy === "PreferDualStack" &&
    (old.ipFamilyPolicy ?? "PreferDualStack") === "PreferDualStack" &&
    old.type === spec.type &&
    hasAddress(spec) &&
    sameList(old.clusterIPs, spec.clusterIPs) &&
    sameList(old.ipFamilies, spec.ipFamilies)
  );
}

/** The policy if the client set none: the previous one, else SingleStack; RequireDualStack for a headless service without selector. */
function defaultPolicy(spec: Spec, old: core.ServiceSpec | undefined): core.ServiceSpec["ipFamilyPolicy"] {
  if (old?.ipFamilyPolicy) return old.ipFamilyPolicy;
  return isHeadlessWithoutSelector(spec) ? "RequireDualStack" : "SingleStack";
}

/** A change to SingleStack drops the secondary family and address if the client left them; other policies refuse to drop them. */
function dropSecondary(spec: Spec, old: core.ServiceSpec): FieldError[] {
  if (spec.ipFamilyPolicy === "SingleStack") {
    if (sameList(spec.clusterIPs, old.clusterIPs)) spec.clusterIPs = spec.clusterIPs?.slice(0, 1);
    if (sameList(spec.ipFamilies, old.ipFamilies)) spec.ipFamilies = spec.ipFamilies?.slice(0, 1);
    return [];
  }
  const reduced = (now: readonly string[] | undefined, before: readonly string[] | undefined) =>
    (now ?? []).length > 0 && (now ?? []).length < (before ?? []).length;
  const refuse = (what: string) =>
    field.invalid(policyPath, spec.ipFamilyPolicy, `must be 'SingleStack' to release the secondary ${what}`);
  return [
    ...(reduced(spec.clusterIPs, old.clusterIPs) ? [refuse("cluster IP")] : []),
    ...(reduced(spec.ipFamilies, old.ipFamilies) ? [refuse("IP family")] : []),
  ];
}

/** Errors of a SingleStack service with two addresses or families. */
function checkSingleStack(spec: Spec): FieldError[] {
  if (spec.ipFamilyPolicy !== "SingleStack") return [];
  const refuse = (what: string) => {
    const detail = `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`;
    return field.invalid(policyPath, spec.ipFamilyPolicy, detail);
  };
  return [
    ...(spec.clusterIPs?.length === 2 ? [refuse("cluster IPs")] : []),
    ...(spec.ipFamilies?.length === 2 ? [refuse("IP families")] : []),
  ];
}

/** Adds the families of addresses for which the client set none. */
function inferFamilies(spec: Spec, ranges: readonly IpRange[]): FieldError[] {
  const errors: FieldError[] = [];
  for (const [i, ip] of (spec.clusterIPs ?? []).entries()) {
    if (ip === "None" || i < (spec.ipFamilies ?? []).length) continue;
    const family = ip.includes(":") ? "IPv6" : "IPv4";
    if (ranges.some((range) => range.family === family)) spec.ipFamilies = [...(spec.ipFamilies ?? []), family];
    else {
      const path = field("spec", "clusterIPs").index(i);
      errors.push(field.invalid(path, spec.clusterIPs, `${family} is not configured on this cluster`));
    }
  }
  return errors;
}

/** Errors of services that need two stacks where the cluster has one, or a family without a range. */
function checkConfigured(spec: Spec, ranges: readonly IpRange[]): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.ipFamilyPolicy === "RequireDualStack" && ranges.length < 2) {
    const detail = "this cluster is not configured for dual-stack services";
    errors.push(field.invalid(policyPath, spec.ipFamilyPolicy, detail));
  }
  // Validation refuses more than two; a list of a million would be a million errors.
  for (const [i, family] of (spec.ipFamilies ?? []).slice(0, 2).entries())
    if (!ranges.some((range) => range.family === family))
      errors.push(field.invalid(field("spec", "ipFamilies").index(i), family, "not configured on this cluster"));
  return errors;
}

/**
 * Sets the IP families and their policy as far as the client left them open. A service has one family unless its policy says
 * otherwise, and only a change of the policy or of the lists changes the number of families.
 *
 * @param ranges of the cluster, the default family first
 */
export function settleFamilies(
  spec: Spec,
  old: core.ServiceSpec | undefined,
  ranges: readonly IpRange[],
): readonly FieldError[] {
  const [primary] = ranges;
  if (!hasAddress(spec) || primary === undefined || keepsPreferredStacks(spec, old)) return [];
  spec.ipFamilyPolicy ||= defaultPolicy(spec, old);
  const errors = [
    ...(old === undefined ? [] : dropSecondary(spec, old)),
    ...checkSingleStack(spec),
    ...inferFamilies(spec, ranges),
  ];
  if (errors.length > 0) return errors;
  const anyFamily = isHeadlessWithoutSelector(spec);
  if (!anyFamily) {
    const unsupported = checkConfigured(spec, ranges);
    if (unsupported.length > 0) return unsupported;
  }
  const families = spec.ipFamilies?.length ? spec.ipFamilies : [primary.family];
  const second = spec.ipFamilyPolicy !== "SingleStack" && families.length === 1 && (anyFamily || ranges.length === 2);
  spec.ipFamilies = second ? [...families, other(families[0])] : families;
  return [];
}
