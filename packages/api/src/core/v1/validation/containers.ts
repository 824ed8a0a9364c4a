import { type FieldError, type FieldPath, field, isDns1123Label } from "@orchernetes/apimachinery";
import { report, requireOneOf, requireText } from "../../../shared/report.ts";
import type { Container, EphemeralContainer } from "../types/container.ts";
import type { PodSpec } from "../types/pod.ts";
import type { Volume } from "../types/volume-sources.ts";
import { validateContainerPorts, validateHostPortConflicts } from "./container-ports.ts";
import { validateResourceRequirements } from "./container-resources.ts";
import type { ValidationContext } from "./context.ts";
import { validateEnv, validateEnvFrom } from "./environment.ts";
import { validateLifecycle, validateProbe } from "./probes.ts";
import { validateSecurityContext } from "./security-context.ts";
import { validateVolumeDevices, validateVolumeMounts } from "./volume-mounts.ts";

/** The parts of a pod that its containers refer to. */
export interface Held {
  readonly volumes: ReadonlyMap<string, Volume>;
  /** Names of the pod's resource claims. */
  readonly claims: ReadonlySet<string>;
}

const pullPolicies: readonly string[] = ["Always", "IfNotPresent", "Never"];
const resizedResources: readonly string[] = ["cpu", "memory"];
const resizePolicies: readonly string[] = ["NotRequired", "RestartContainer"];
const initForbidden = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe", "resizePolicy"] as const;
const ephemeralForbidden = [
  "lifecycle",
  "livenessProbe",
  "ports",
  "readinessProbe",
  "resizePolicy",
  "resources",
  "startupProbe",
] as const;

/** Validates the containers that run as long as the pod; there must be at least one. */
export function validateContainers(
  spec: PodSpec,
  held: Held,
  path: FieldPath,
  ctx: ValidationContext,
  errors: FieldError[],
): void {
  const containers = spec.containers ?? [];
  if (containers.length === 0) {
    errors.push(field.required(path));
    return;
  }
  const names = new Set<string>();
  for (const [i, container] of containers.entries()) {
    const at = path.index(i);
    validateCommon(container, held, at, ctx, errors);
    claimName(container.name, names, at, errors);
    if (container.lifecycle !== undefined) {
      validateLifecycle(container.lifecycle, at.child("lifecycle"), errors);
    }
    if (container.livenessProbe !== undefined) {
      validateProbe(container.livenessProbe, "liveness", at.child("livenessProbe"), errors);
    }
    if (container.readinessProbe !== undefined) {
      validateProbe(container.readinessProbe, "readiness", at.child("readinessProbe"), errors);
    }
    if (container.startupProbe !== undefined) {
      validateProbe(container.startupProbe, "startup", at.child("startupProbe"), errors);
    }
  }
  validateHostPortConflicts(containers, path, errors);
}

/**
 * Validates init containers, which run one after the other before all others, and therefore have no probes and no
 * lifecycle hooks.
 */
export function validateInitContainers(
  spec: PodSpec,
  held: Held,
  path: FieldPath,
  ctx: ValidationContext,
  errors: FieldError[],
): void {
  const containers = spec.initContainers;
  if (containers === undefined) {
    return;
  }
  const names = new Set((spec.containers ?? []).map((container) => container.name));
  for (const [i, container] of containers.entries()) {
    const at = path.index(i);
    validateCommon(container, held, at, ctx, errors);
    claimName(container.name, names, at, errors);
    // Init containers never run at the same time, so host ports are compared within each one. The path is that of a
    // list of one, as in Kubernetes 1.27.
    validateHostPortConflicts([container], path, errors);
    for (const name of initForbidden) {
      if (container[name] !== undefined) {
        errors.push(field.invalid(at.child(name), container[name], "must not be set for init containers"));
      }
    }
  }
}

/**
 * Validates ephemeral containers, which are added to a running pod for debugging. They have no ports, probes and
 * resources: the pod's network and resources were settled when it was scheduled (KEP-277).
 */
export function validateEphemeralContainers(
  spec: PodSpec,
  held: Held,
  path: FieldPath,
  ctx: ValidationContext,
  errors: FieldError[],
): void {
  const containers = spec.ephemeralContainers;
  if (containers === undefined) {
    return;
  }
  const lasting = new Set([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name }) => name));
  const names = new Set(lasting);
  for (const [i, container] of containers.entries()) {
    const at = path.index(i);
    validateCommon(container, held, at, ctx, errors);
    validateImageSpace(container.image, at, errors);
    claimName(container.name, names, at, errors);
    const target = container.targetContainerName;
    if (target && !lasting.has(target)) {
      errors.push(field.notFound(at.child("targetContainerName"), target));
    }
    for (const name of ephemeralForbidden) {
      const value = container[name];
      if (value !== undefined && Object.keys(value).length > 0) {
        errors.push(field.forbidden(at.child(name), "cannot be set for an Ephemeral Container"));
      }
    }
    for (const [j, { subPath, subPathExpr }] of (container.volumeMounts ?? []).entries()) {
      const mount = at.child("volumeMounts").index(j);
      if (subPath) {
        errors.push(field.forbidden(mount.child("subPath"), "cannot be set for an Ephemeral Container"));
      }
      if (subPathExpr) {
        errors.push(field.forbidden(mount.child("subPathExpr"), "cannot be set for an Ephemeral Container"));
      }
    }
  }
}

/**
 * Validates that image names do not begin or end with space. For pods only: templates with such names were accepted
 * before the rule.
 */
export function validateImageSpaces(
  containers: readonly Container[] | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const [i, { image }] of (containers ?? []).entries()) {
    if (image !== undefined && image !== image.trim()) {
      validateImageSpace(image, path.index(i), errors);
    }
  }
}

function validateImageSpace(image: string | undefined, path: FieldPath, errors: FieldError[]): void {
  if (image !== undefined && image !== image.trim()) {
    errors.push(field.invalid(path.child("image"), image, "must not have leading or trailing whitespace"));
  }
}

/** Validates that a name is unique among all containers of the pod: logs and status identify a container by it. */
function claimName(name: string, names: Set<string>, path: FieldPath, errors: FieldError[]): void {
  if (name && names.has(name)) {
    errors.push(field.duplicate(path.child("name"), name));
  }
  names.add(name);
}

/** The rules of all three kinds of containers. */
function validateCommon(
  container: Container | EphemeralContainer,
  held: Held,
  path: FieldPath,
  ctx: ValidationContext,
  errors: FieldError[],
): void {
  if (requireText(errors, container.name, path, "name")) {
    report(errors, isDns1123Label(container.name), path, "name", container.name);
  }
  requireText(errors, container.image, path, "image");
  const policy: string = container.terminationMessagePolicy ?? "";
  if (policy === "") {
    errors.push(field.required(path.child("terminationMessagePolicy")));
  } else if (policy !== "File" && policy !== "FallbackToLogsOnError") {
    const detail = "must be 'File' or 'FallbackToLogsOnError'";
    errors.push(field.invalid(path.child("terminationMessagePolicy"), policy, detail));
  }
  if (container.ports !== undefined) {
    validateContainerPorts(container.ports, path.child("ports"), errors);
  }
  if (container.env !== undefined) {
    validateEnv(container.env, path.child("env"), errors);
  }
  if (container.envFrom !== undefined) {
    validateEnvFrom(container.envFrom, path.child("envFrom"), errors);
  }
  if (container.volumeMounts !== undefined) {
    validateVolumeMounts(container, held.volumes, path.child("volumeMounts"), errors);
  }
  if (container.volumeDevices !== undefined) {
    validateVolumeDevices(container, held.volumes, path.child("volumeDevices"), errors);
  }
  const pullPolicy: string = container.imagePullPolicy ?? "";
  if (pullPolicy === "") {
    errors.push(field.required(path.child("imagePullPolicy")));
  } else {
    requireOneOf(errors, pullPolicy, pullPolicies, path, "imagePullPolicy");
  }
  validateResourceRequirements(container.resources, held.claims, path.child("resources"), ctx, errors);
  validateResizePolicies(container, path, errors);
  if (container.securityContext !== undefined) {
    validateSecurityContext(container.securityContext, path.child("securityContext"), ctx, errors);
  }
}

/** Validates the policies for resizing in place (KEP-1287). Errors are at the list, as in Kubernetes 1.27. */
function validateResizePolicies(
  container: Container | EphemeralContainer,
  path: FieldPath,
  errors: FieldError[],
): void {
  const seen = new Set<string>();
  const at = path.child("resizePolicy");
  for (const [i, { resourceName, restartPolicy }] of (container.resizePolicy ?? []).entries()) {
    if (seen.has(resourceName)) {
      errors.push(field.duplicate(at.index(i), resourceName));
    }
    seen.add(resourceName);
    for (const [value, supported] of [
      [resourceName, resizedResources],
      [restartPolicy, resizePolicies],
    ] as const) {
      if (!value) {
        errors.push(field.required(at));
      } else if (!supported.includes(value)) {
        errors.push(field.notSupported(at, value, supported));
      }
    }
  }
}
