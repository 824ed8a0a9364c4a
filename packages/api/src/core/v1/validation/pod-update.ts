import { type FieldError, field } from "@orchernetes/apimachinery";
import { differences } from "../../../shared/differences.ts";
import { semanticEqual, semanticKey } from "../../../shared/immutable.ts";
import type { ResourceList } from "../../../shared/resource-lists.ts";
import { podQosClass } from "../rules/qos.ts";
import type { Container } from "../types/container.ts";
import type { Pod, PodSpec } from "../types/pod.ts";
import type { ValidationContext } from "./context.ts";
import { validateGatedAffinity } from "./gated-affinity.ts";
import { validatePodContent } from "./pod.ts";
import { validatePodAnnotationsUpdate } from "./pod-annotations.ts";

const updatable = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
];
const resizable = "`spec.containers[*].resources` (for CPU/memory only)";
const maxDeadlineSeconds = 2147483647;

/**
 * Validates an update of a pod. The spec is immutable, because a node has started what it says, except for images, a
 * shorter deadline, further tolerations and fewer scheduling gates; and CPU and memory, if pods are resized in place
 * (KEP-1287).
 */
export function validatePodUpdate(pod: Pod, old: Pod, ctx: ValidationContext): FieldError[] {
  // Updates that do not change the spec, such as of labels and finalizers, skip the comparison of every field.
  if (semanticEqual(pod.spec, old.spec)) {
    return [...validatePodContent(pod, ctx, old), ...validatePodAnnotationsUpdate(pod, old)];
  }
  const errors = validatePodContent(pod, ctx, old);
  errors.push(...validatePodAnnotationsUpdate(pod, old));
  for (const list of ["containers", "initContainers"] as const) {
    if ((pod.spec[list]?.length ?? 0) !== (old.spec[list]?.length ?? 0)) {
      errors.push(field.forbidden(`spec.${list}`, "pod updates may not add or remove containers"));
      return errors;
    }
  }
  const deadline = validateDeadline(pod.spec, old.spec);
  errors.push(...deadline);
  if (deadline.length > 0 && pod.spec.activeDeadlineSeconds !== undefined) {
    return errors;
  }
  errors.push(...validateTolerationAdditions(pod.spec, old.spec), ...validateGateRemovals(pod.spec, old.spec));
  if (resizes(ctx)) {
    const qos = podQosClass(pod.spec);
    if (qos !== podQosClass(old.spec)) {
      errors.push(field.invalid("metadata", qos, "Pod QoS is immutable"));
    }
  }
  errors.push(...validateRest(pod.spec, old.spec, ctx));
  return errors;
}

/** Validates the deadline: it can be set and shortened, but not removed or extended. */
function validateDeadline(spec: PodSpec, old: PodSpec): FieldError[] {
  const value = spec.activeDeadlineSeconds;
  const before = old.activeDeadlineSeconds;
  const at = "spec.activeDeadlineSeconds";
  if (value === undefined) {
    return before === undefined
      ? []
      : [field.invalid(at, undefined, "must not update from a positive integer to nil value")];
  }
  if (value < 0 || value > maxDeadlineSeconds) {
    return [field.invalid(at, value, `must be between 0 and ${maxDeadlineSeconds}, inclusive`)];
  }
  return before !== undefined && before < value
    ? [field.invalid(at, value, "must be less than or equal to previous value")]
    : [];
}

/**
 * Validates tolerations: they can be added, and their time can change. Compared by key, as a client can send thousands.
 */
function validateTolerationAdditions(spec: PodSpec, old: PodSpec): FieldError[] {
  const untimed = (tolerations: PodSpec["tolerations"]) =>
    (tolerations ?? []).map(({ tolerationSeconds: _, ...toleration }) => semanticKey(toleration));
  const present = new Set(untimed(spec.tolerations));
  const kept = untimed(old.tolerations).every((before) => present.has(before));
  const detail = "existing toleration can not be modified except its tolerationSeconds";
  return kept ? [] : [field.forbidden("spec.tolerations", detail)];
}

/** Validates scheduling gates: they can only be removed (KEP-3521). */
function validateGateRemovals(spec: PodSpec, old: PodSpec): FieldError[] {
  const known = new Set((old.schedulingGates ?? []).map(({ name }) => name));
  return (spec.schedulingGates ?? [])
    .filter(({ name }) => !known.has(name))
    .map(({ name }) =>
      field.forbidden("spec.schedulingGates", `only deletion is allowed, but found new scheduling gate '${name}'`),
    );
}

const resizes = (ctx: ValidationContext): boolean => ctx.featureEnabled("InPlacePodVerticalScaling");

/**
 * Validates everything without a rule of its own: the spec, with the fields that may change reset to their stored
 * values, must equal the stored one.
 */
function validateRest(spec: PodSpec, old: PodSpec, ctx: ValidationContext): FieldError[] {
  const errors: FieldError[] = [];
  const resize = resizes(ctx);
  const containers = resize ? withComputeOf(spec.containers, old.containers) : spec.containers;
  let munged: PodSpec = {
    ...spec,
    containers: withImagesOf(containers, old.containers),
    initContainers: withImagesOf(spec.initContainers ?? [], old.initContainers ?? []),
    activeDeadlineSeconds: old.activeDeadlineSeconds,
    tolerations: old.tolerations,
    schedulingGates: old.schedulingGates,
  };
  if ((old.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1) {
    munged = { ...munged, terminationGracePeriodSeconds: old.terminationGracePeriodSeconds };
  }
  if ((old.schedulingGates ?? []).length > 0 && ctx.featureEnabled("PodSchedulingReadiness")) {
    errors.push(...validateSelectorAdditions(spec, old), ...validateGatedAffinity(spec.affinity, old.affinity));
    const nodeAffinity = old.affinity?.nodeAffinity;
    const affinity =
      spec.affinity === undefined && old.affinity === undefined ? undefined : { ...spec.affinity, nodeAffinity };
    munged = { ...munged, nodeSelector: old.nodeSelector, affinity };
  }
  if (!semanticEqual(munged, old)) {
    const fields = (resize ? [...updatable, resizable] : updatable).join(",");
    const detail = `pod updates may not change fields other than ${fields}\n${differences(old, munged)}`;
    errors.push(field.forbidden("spec", detail));
  }
  return errors;
}

function withImagesOf(containers: readonly Container[], old: readonly Container[]): readonly Container[] {
  return containers.map((container, i) => ({ ...container, image: old[i]?.image }));
}

/** The containers with the CPU and memory of the old ones. */
function withComputeOf(containers: readonly Container[], old: readonly Container[]): readonly Container[] {
  return containers.map((container, i) => {
    const { limits, requests } = container.resources ?? {};
    const before = old[i]?.resources;
    const resources = {
      ...container.resources,
      limits: computeOf(limits, before?.limits),
      requests: computeOf(requests, before?.requests),
    };
    return { ...container, resources };
  });
}

function computeOf(list: ResourceList | undefined, old: ResourceList | undefined): ResourceList | undefined {
  if (old === undefined) {
    return undefined;
  }
  const { cpu: _cpu, memory: _memory, ...others } = list ?? {};
  const { cpu, memory } = old;
  return { ...others, ...(cpu === undefined ? {} : { cpu }), ...(memory === undefined ? {} : { memory }) };
}

/** Validates a change of node selector of a pod with scheduling gates: it may only become narrower (KEP-3838). */
function validateSelectorAdditions(spec: PodSpec, old: PodSpec): FieldError[] {
  const selector = spec.nodeSelector ?? {};
  const widened = Object.entries(old.nodeSelector ?? {}).some(([key, value]) => selector[key] !== value);
  const detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
  return widened ? [field.invalid("spec.nodeSelector", selector, detail)] : [];
}

/** Validates an update through the `ephemeralcontainers` subresource: additions only. */
export function validateEphemeralContainersUpdate(pod: Pod, old: Pod, ctx: ValidationContext): FieldError[] {
  const errors = validatePodContent(pod, ctx, old);
  const at = "spec.ephemeralContainers";
  const present = new Map((pod.spec.ephemeralContainers ?? []).map((container) => [container.name, container]));
  for (const before of old.spec.ephemeralContainers ?? []) {
    const after = present.get(before.name);
    if (after === undefined) {
      errors.push(field.forbidden(at, `existing ephemeral containers "${before.name}" may not be removed\n`));
    } else if (!semanticEqual(before, after)) {
      const detail = `existing ephemeral containers "${before.name}" may not be changed\n${differences(before, after)}`;
      errors.push(field.forbidden(at, detail));
    }
  }
  return errors;
}
