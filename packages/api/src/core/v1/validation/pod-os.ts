import { type FieldError, type FieldPath, field } from "@orchernetes/apimachinery";
import type { PodSpec } from "../types/pod.ts";

// Fields without a counterpart on Windows. The two below are optional: even an explicit false is rejected there.
const podFields = ["hostPID", "hostIPC"] as const;
const optionalPodFields = ["hostUsers", "shareProcessNamespace"] as const;
const podSecurityFields = [
  "seLinuxOptions",
  "seccompProfile",
  "fsGroup",
  "fsGroupChangePolicy",
  "sysctls",
  "runAsUser",
  "runAsGroup",
  "supplementalGroups",
] as const;
const containerSecurityFields = [
  "seLinuxOptions",
  "seccompProfile",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
  "runAsUser",
  "runAsGroup",
] as const;

/** Validates that a pod which names its operating system sets no fields that this system does not have (KEP-2802). */
export function validatePodOs(spec: PodSpec, path: FieldPath, errors: FieldError[]): void {
  if (spec.os === undefined) {
    return;
  }
  const name: string = spec.os.name ?? "";
  if (name === "") {
    errors.push(field.required(path.child("os", "name"), "cannot be empty"));
  } else if (name !== "linux" && name !== "windows") {
    errors.push(field.notSupported(path.child("os"), name, ["linux", "windows"]));
  } else {
    forbidForeign(spec, name, path, errors);
  }
}

/**
 * Reports the fields that the pod's operating system does not have. Pods without `os` are not checked: which node they
 * run on, and with it the system, is not yet known.
 */
function forbidForeign(spec: PodSpec, name: "linux" | "windows", path: FieldPath, errors: FieldError[]): void {
  const refuse = (at: FieldPath): void => {
    const what = name === "linux" ? "windows options cannot be set for a linux pod" : "cannot be set for a windows pod";
    errors.push(field.forbidden(at, what));
  };
  const context = spec.securityContext;
  const security = path.child("securityContext");
  if (name === "windows") {
    for (const key of podFields.filter((key) => spec[key] === true)) {
      refuse(path.child(key));
    }
    for (const key of optionalPodFields.filter((key) => spec[key] !== undefined)) {
      refuse(path.child(key));
    }
    for (const key of podSecurityFields.filter((key) => context?.[key] !== undefined)) {
      refuse(security.child(key));
    }
  } else if (context?.windowsOptions !== undefined) {
    refuse(security.child("windowsOptions"));
  }
  for (const list of ["initContainers", "containers", "ephemeralContainers"] as const) {
    for (const [i, { securityContext }] of (spec[list] ?? []).entries()) {
      const at = path.child(list).index(i).child("securityContext");
      const keys = name === "linux" ? (["windowsOptions"] as const) : containerSecurityFields;
      for (const key of keys) {
        if (securityContext?.[key] !== undefined) {
          refuse(at.child(key));
        }
      }
    }
  }
}
