import {
  type FieldError,
  type FieldPath,
  field,
  isDns1123Label,
  isDns1123Subdomain,
  isQualifiedName,
  validateLabels,
} from "@orchernetes/apimachinery";
import { inRange } from "../../../shared/numbers.ts";
import { report, requireOneOf } from "../../../shared/report.ts";
import type { PodSpec } from "../types/pod.ts";
import { validateAffinity } from "./affinity.ts";
import { validateHostNetworkPorts } from "./container-ports.ts";
import { validateResourceRequirements } from "./container-resources.ts";
import { validateContainers, validateEphemeralContainers, validateInitContainers } from "./containers.ts";
import type { ValidationContext } from "./context.ts";
import { validateDns, validateHostAliases } from "./dns.ts";
import { validatePodOs } from "./pod-os.ts";
import { validatePodResourceClaims } from "./resource-claims.ts";
import { validatePodSecurityContext } from "./security-context.ts";
import { validateTolerations } from "./tolerations.ts";
import { validateTopologySpread } from "./topology-spread.ts";
import { type VolumeOwner, validateVolumes } from "./volumes.ts";
import { validateHostProcess } from "./windows-options.ts";

const restartPolicies: readonly string[] = ["Always", "OnFailure", "Never"];
const preemptionPolicies: readonly string[] = ["PreemptLowerPriority", "Never"];
const noClaims: ReadonlySet<string> = new Set();
const maxDeadlineSeconds = 2147483647;
const subdomains = ["serviceAccountName", "nodeName", "priorityClassName", "runtimeClassName"] as const;

/**
 * Validates a pod spec, in a pod or a template. Defaults must have been applied. The order of the checks is that of
 * Kubernetes 1.27, and so is the order of the errors.
 *
 * @param owner metadata of the pod, if the spec is that of a pod
 */
export function validatePodSpec(
  spec: PodSpec,
  path: FieldPath,
  ctx: ValidationContext,
  owner?: VolumeOwner,
): FieldError[] {
  const errors: FieldError[] = [];
  const volumes = validateVolumes(spec.volumes, owner, path.child("volumes"), ctx, errors);
  const claims =
    spec.resourceClaims === undefined
      ? noClaims
      : validatePodResourceClaims(spec.resourceClaims, owner?.name, path.child("resourceClaims"), errors);
  const held = { volumes, claims };
  validateContainers(spec, held, path.child("containers"), ctx, errors);
  validateInitContainers(spec, held, path.child("initContainers"), ctx, errors);
  validateEphemeralContainers(spec, held, path.child("ephemeralContainers"), ctx, errors);
  requireOneOf(errors, spec.restartPolicy ?? "", restartPolicies, path, "restartPolicy");
  if (spec.nodeSelector !== undefined) {
    errors.push(...validateLabels(spec.nodeSelector, path.child("nodeSelector")));
  }
  if (spec.hostNetwork === true) {
    validateHostNetworkPorts(spec.containers ?? [], path.child("containers"), errors);
  }
  validatePodSecurityContext(spec.securityContext, spec, path.child("securityContext"), errors);
  validateAffinity(spec.affinity, path.child("affinity"), errors);
  validateDns(spec, path, ctx, errors);
  validateGates(spec, path, errors);
  validateTopologySpread(spec.topologySpreadConstraints, path.child("topologySpreadConstraints"), errors);
  validateHostProcess(spec, path, ctx, errors);
  validateHostUsers(spec, path, errors);
  validateNames(spec, path, errors);
  if (spec.activeDeadlineSeconds !== undefined) {
    errors.push(...inRange(spec.activeDeadlineSeconds, 1, maxDeadlineSeconds, path.child("activeDeadlineSeconds")));
  }
  validateTolerations(spec.tolerations, path.child("tolerations"), errors);
  validateHostAliases(spec.hostAliases, path.child("hostAliases"), errors);
  if (spec.preemptionPolicy !== undefined) {
    requireOneOf(errors, spec.preemptionPolicy, preemptionPolicies, path, "preemptionPolicy");
  }
  if (spec.overhead !== undefined) {
    validateResourceRequirements({ limits: spec.overhead }, noClaims, path.child("overhead"), ctx, errors);
  }
  validatePodOs(spec, path, errors);
  return errors;
}

function validateNames(spec: PodSpec, path: FieldPath, errors: FieldError[]): void {
  for (const name of subdomains) {
    const value = spec[name];
    if (value) {
      report(errors, isDns1123Subdomain(value), path, name, value);
    }
  }
  for (const name of ["hostname", "subdomain"] as const) {
    const value = spec[name];
    if (value) {
      report(errors, isDns1123Label(value), path, name, value);
    }
  }
}

/** Validates readiness gates (KEP-580) and scheduling gates (KEP-3521), whose names are unique. */
function validateGates(spec: PodSpec, path: FieldPath, errors: FieldError[]): void {
  for (const [i, { conditionType }] of (spec.readinessGates ?? []).entries()) {
    const messages = isQualifiedName(conditionType ?? "");
    report(errors, messages, path.child("readinessGates").index(i), "conditionType", conditionType ?? "");
  }
  const seen = new Set<string>();
  for (const [i, { name }] of (spec.schedulingGates ?? []).entries()) {
    const at = path.child("schedulingGates").index(i);
    errors.push(...isQualifiedName(name ?? "").map((message) => field.invalid(at, name ?? "", message)));
    if (seen.has(name)) {
      errors.push(field.duplicate(at, name));
    }
    seen.add(name);
  }
}

/** Volume sources that a pod in a user namespace can have: those without data of their own. */
const statelessVolumes: ReadonlySet<string> = new Set(["configMap", "downwardAPI", "emptyDir", "projected", "secret"]);

/**
 * Validates a pod in a user namespace: it can neither keep data, whose owners would be mapped differently on the next
 * node, nor share namespaces of the host (KEP-127).
 */
function validateHostUsers(spec: PodSpec, path: FieldPath, errors: FieldError[]): void {
  if (spec.hostUsers !== false) {
    return;
  }
  for (const [i, volume] of (spec.volumes ?? []).entries()) {
    if (!Object.keys(volume).some((source) => statelessVolumes.has(source))) {
      const detail = "volume type not supported when `pod.Spec.HostUsers` is false";
      errors.push(field.forbidden(path.child("volumes").index(i), detail));
    }
  }
  for (const name of ["hostNetwork", "hostPID", "hostIPC"] as const) {
    if (spec[name] === true) {
      errors.push(field.forbidden(path.child(name), "when `pod.Spec.HostUsers` is false"));
    }
  }
}
