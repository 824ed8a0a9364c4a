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
 * Whether an update leaves families and addresses of a service that prefers two stacks alone. Such a service neither gains nor
 * loses a family because the cluster has gained or lost one.
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

/** A policy that nobody named is the one from before, or one stack; a headless service without a selector may have any. */
function defaultPolicy(spec: Spec, old: core.ServiceSpec | undefined): core.ServiceSpec["ipFamilyPolicy"] {
  if (old?.ipFamilyPolicy) return old.ipFamilyPolicy;
  return isHeadlessWithoutSelector(spec) ? "RequireDualStack" : "SingleStack";
}

/** The policy decides whether the second family may go: one stack drops it where the client left it, others keep it. */
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

/** One stack has one address and one family. */
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

/** Addresses name the families that the client did not. */
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

/** What the cluster cannot do: two stacks where it has one, and families it has no range for. */
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
 * Settles IP families and their policy, as far as the client left them open: a service has one family unless its policy says
 * otherwise, and nothing but a change of the policy or of the lists themselves takes a service from one to two or back.
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
    const faults = checkConfigured(spec, ranges);
    if (faults.length > 0) return faults;
  }
  const families = spec.ipFamilies?.length ? spec.ipFamilies : [primary.family];
  const second = spec.ipFamilyPolicy !== "SingleStack" && families.length === 1 && (anyFamily || ranges.length === 2);
  spec.ipFamilies = second ? [...families, other(families[0])] : families;
  return [];
}
