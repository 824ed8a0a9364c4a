import { type FieldError, type FieldPath, field, isValidGroupId, isValidUserId } from "@orchernetes/apimachinery";
import { localDescendingPath } from "../../../shared/paths.ts";
import { report, requireOneOf } from "../../../shared/report.ts";
import type { PodSpec } from "../types/pod.ts";
import type { PodSecurityContext, SeccompProfile, SecurityContext } from "../types/security-context.ts";
import type { ValidationContext } from "./context.ts";
import { validateWindowsOptions } from "./windows-options.ts";

const procMounts: readonly string[] = ["Default", "Unmasked"];
const seccompTypes: readonly string[] = ["Localhost", "RuntimeDefault", "Unconfined"];
const changePolicies: readonly string[] = ["Always", "OnRootMismatch"];
const sysctlPattern = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
const maxSysctlLength = 253;

/**
 * Validates the security context of one container, ephemeral ones included.
 *
 * @param context - the security context; nothing is checked if absent
 * @param path - path of the security context
 * @param ctx - says whether the cluster allows privileged containers
 * @param errors - gets the errors
 */
export function validateSecurityContext(
  context: SecurityContext | undefined,
  path: FieldPath,
  ctx: ValidationContext,
  errors: FieldError[],
): void {
  if (context === undefined) {
    return;
  }
  if (context.privileged === true && !ctx.allowPrivileged) {
    errors.push(field.forbidden(path.child("privileged"), "disallowed by cluster policy"));
  }
  validateIds(context, path, errors);
  if (context.procMount !== undefined) {
    requireOneOf(errors, context.procMount, procMounts, path, "procMount");
  }
  validateSeccompProfile(context.seccompProfile, path.child("seccompProfile"), errors);
  // `false` sets no_new_privs, which is pointless for a process that already has all rights.
  if (context.allowPrivilegeEscalation === false) {
    if (context.privileged === true) {
      const detail = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true";
      errors.push(field.invalid(path, context, detail));
    }
    if (context.capabilities?.add?.includes("CAP_SYS_ADMIN")) {
      const detail = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN";
      errors.push(field.invalid(path, context, detail));
    }
  }
  validateWindowsOptions(context.windowsOptions, path.child("windowsOptions"), errors);
}

/** Validates the security context of a pod, together with the host namespaces of its spec. */
export function validatePodSecurityContext(
  context: PodSecurityContext | undefined,
  spec: PodSpec,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (context === undefined) {
    return;
  }
  if (context.fsGroup !== undefined) {
    report(errors, isValidGroupId(context.fsGroup), path, "fsGroup", context.fsGroup);
  }
  validateIds(context, path, errors);
  for (const [i, group] of (context.supplementalGroups ?? []).entries()) {
    const at = path.child("supplementalGroups").index(i);
    errors.push(...isValidGroupId(group).map((message) => field.invalid(at, group, message)));
  }
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    const detail = "ShareProcessNamespace and HostPID cannot both be enabled";
    errors.push(field.invalid(path.child("shareProcessNamespace"), true, detail));
  }
  validateSysctls(context.sysctls, spec, path.child("sysctls"), errors);
  if (context.fsGroupChangePolicy !== undefined) {
    requireOneOf(errors, context.fsGroupChangePolicy, changePolicies, path, "fsGroupChangePolicy");
  }
  validateSeccompProfile(context.seccompProfile, path.child("seccompProfile"), errors);
  validateWindowsOptions(context.windowsOptions, path.child("windowsOptions"), errors);
}

function validateIds(context: SecurityContext | PodSecurityContext, path: FieldPath, errors: FieldError[]): void {
  if (context.runAsUser !== undefined) {
    report(errors, isValidUserId(context.runAsUser), path, "runAsUser", context.runAsUser);
  }
  if (context.runAsGroup !== undefined) {
    report(errors, isValidGroupId(context.runAsGroup), path, "runAsGroup", context.runAsGroup);
  }
}

function validateSysctls(
  sysctls: PodSecurityContext["sysctls"],
  spec: PodSpec,
  path: FieldPath,
  errors: FieldError[],
): void {
  const names = new Set<string>();
  for (const [i, { name }] of (sysctls ?? []).entries()) {
    const at = path.index(i).child("name");
    if (!name) {
      errors.push(field.required(at));
      continue;
    }
    if (name.length > maxSysctlLength || !sysctlPattern.test(name)) {
      const detail = `must have at most ${maxSysctlLength} characters and match regex ${sysctlPattern.source}`;
      errors.push(field.invalid(at, name, detail));
    } else if (names.has(name)) {
      errors.push(field.duplicate(at, name));
    }
    names.add(name);
    // Both separators are allowed, as in sysctl(8).
    const dotted = name.replaceAll("/", ".");
    // In a namespace of the host, the pod would change the parameter for the whole node.
    if (spec.hostNetwork === true && dotted.startsWith("net.")) {
      errors.push(field.invalid(at, name, "may not be specified when 'hostNetwork' is true"));
    }
    if (spec.hostIPC === true && isIpcSysctl(dotted)) {
      errors.push(field.invalid(at, name, "may not be specified when 'hostIPC' is true"));
    }
  }
}

/** Whether the kernel parameter exists once per IPC namespace. */
function isIpcSysctl(name: string): boolean {
  return name === "kernel.sem" || ["kernel.shm", "kernel.msg", "fs.mqueue."].some((prefix) => name.startsWith(prefix));
}

/**
 * Validates a seccomp profile. The path of a local profile is relative to a directory of the orchlet and must not leave
 * it.
 */
function validateSeccompProfile(profile: SeccompProfile | undefined, path: FieldPath, errors: FieldError[]): void {
  if (profile === undefined) {
    return;
  }
  const { localhostProfile } = profile;
  if (profile.type === "Localhost") {
    if (localhostProfile === undefined) {
      errors.push(field.required(path.child("localhostProfile"), "must be set when seccomp type is Localhost"));
    } else {
      errors.push(...localDescendingPath(localhostProfile, path.child("localhostProfile")));
    }
  } else if (localhostProfile !== undefined) {
    const detail = "can only be set when seccomp type is Localhost";
    errors.push(field.invalid(path.child("localhostProfile"), localhostProfile, detail));
  }
  if (!profile.type) {
    errors.push(field.required(path.child("type"), "type is required when seccompProfile is set"));
  } else {
    requireOneOf(errors, profile.type, seccompTypes, path, "type");
  }
}
