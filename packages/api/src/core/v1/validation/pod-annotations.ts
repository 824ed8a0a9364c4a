import { type FieldError, field } from "@orchernetes/apimachinery";
import { localDescendingPath } from "../../../shared/paths.ts";
import type { Pod } from "../types/pod.ts";
import type { SeccompProfile } from "../types/security-context.ts";
import type { ValidationContext } from "./context.ts";

/** Marks a mirror pod: the object of a static pod, which a node agent runs from a file. */
export const mirrorAnnotation = "orchernetes.io/config.mirror";

/** Prefix of the annotation that sets the AppArmor profile of a container; the container's name follows. */
export const appArmorAnnotationPrefix = "container.apparmor.security.beta.orchernetes.io/";

// Read by the ReplicaSet controller to decide which pods to delete first (KEP-2255).
const deletionCost = "controller.orchernetes.io/pod-deletion-cost";
const seccompOfPod = "seccomp.security.alpha.orchernetes.io/pod";
const seccompPrefix = "container.seccomp.security.alpha.orchernetes.io/";
const path = field("metadata", "annotations");
const containerLists = ["initContainers", "containers", "ephemeralContainers"] as const;

type Annotations = Readonly<Record<string, string>>;

/**
 * Validates the annotations of a pod that have a meaning for the system. Others are not restricted.
 *
 * @param pod - the pod to validate
 * @param old - the stored pod of an update. An invalid deletion cost that was stored while the feature was disabled is
 *   accepted
 * @param ctx - says which feature gates are enabled
 */
export function validatePodAnnotations(
  { metadata, spec }: Pod,
  old: Pod | undefined,
  ctx: ValidationContext,
): FieldError[] {
  const { annotations } = metadata;
  if (annotations === undefined) return [];
  const errors: FieldError[] = [];
  const containers = new Set(containerLists.flatMap((list) => spec[list]?.map(({ name }) => name) ?? []));
  for (const [key, value] of Object.entries(annotations)) {
    if (key === mirrorAnnotation && !spec.nodeName) {
      const detail = "must set spec.nodeName if mirror pod annotation is set";
      errors.push(field.invalid(path.key(key), value, detail));
    } else if (key === deletionCost && ctx.featureEnabled("PodDeletionCost") && !isInt32(value)) {
      const before = old?.metadata.annotations?.[key];
      if (before === undefined || isInt32(before)) {
        errors.push(field.invalid(path.key(key), value, "must be a 32bit integer"));
      }
    } else if (key === seccompOfPod || key.startsWith(seccompPrefix)) {
      errors.push(...validateSeccomp(key, value));
    } else if (key.startsWith(appArmorAnnotationPrefix)) {
      errors.push(...validateAppArmor(key, value, containers));
    }
  }
  return errors;
}

/** Whether the text is a decimal 32-bit integer without a plus sign or leading zeros. */
function isInt32(text: string): boolean {
  return /^(0|-?[1-9][0-9]{0,9})$/.test(text) && (Number(text) | 0) === Number(text);
}

/** Validates a seccomp profile in the form of the annotations that preceded the field. */
function validateSeccomp(key: string, value: string): FieldError[] {
  const at = path.key(key);
  if (value === "runtime/default" || value === "docker/default" || value === "unconfined") return [];
  if (value.startsWith("localhost/")) return localDescendingPath(value.slice("localhost/".length), at);
  return [field.invalid(at, value, "must be a valid seccomp profile")];
}

/**
 * Validates an AppArmor profile (KEP-24, which had only annotations in 1.27). The annotation must name a container of
 * the pod.
 */
function validateAppArmor(key: string, value: string, containers: ReadonlySet<string>): FieldError[] {
  const name = key.slice(appArmorAnnotationPrefix.length);
  const errors: FieldError[] = [];
  if (!containers.has(name)) {
    errors.push(field.invalid(path.key(key), name, "container not found"));
  }
  const known = value === "" || value === "runtime/default" || value === "unconfined" || value.startsWith("localhost/");
  if (!known)
    errors.push(field.invalid(path.key(key), value, `invalid AppArmor profile name: ${JSON.stringify(value)}`));
  return errors;
}

/** Validates that annotations which decide about security do not change after the creation of a pod. */
export function validatePodAnnotationsUpdate(pod: Pod, old: Pod): FieldError[] {
  const now: Annotations = pod.metadata.annotations ?? {};
  const before: Annotations = old.metadata.annotations ?? {};
  const what = (key: string): string | undefined =>
    key === mirrorAnnotation
      ? "mirror pod annotation"
      : key.startsWith(appArmorAnnotationPrefix)
        ? "AppArmor annotations"
        : undefined;
  const errors: FieldError[] = [];
  for (const key of Object.keys(before)) {
    const meant = what(key);
    if (meant !== undefined && now[key] !== before[key]) {
      errors.push(field.forbidden(path.key(key), `may not remove or update ${meant}`));
    }
  }
  for (const key of Object.keys(now)) {
    const meant = what(key);
    if (meant !== undefined && !Object.hasOwn(before, key)) {
      errors.push(field.forbidden(path.key(key), `may not add ${meant}`));
    }
  }
  return errors;
}

/** Validates that a seccomp profile that is set by annotation and by field is the same (KEP-135). */
export function validateSeccompAgreement({ metadata, spec }: Pod): FieldError[] {
  const { annotations } = metadata;
  if (annotations === undefined) return [];
  const errors: FieldError[] = [];
  const check = (key: string, profile: SeccompProfile | undefined, at: string): void => {
    const annotation = Object.hasOwn(annotations, key) ? annotations[key] : undefined;
    if (annotation === undefined || profile === undefined) return;
    errors.push(...disagreement(annotation, profile, `${at}.securityContext.seccompProfile`));
  };
  check(seccompOfPod, spec.securityContext?.seccompProfile, "spec");
  for (const list of containerLists) {
    for (const [i, { name, securityContext }] of (spec[list] ?? []).entries()) {
      check(seccompPrefix + name, securityContext?.seccompProfile, `spec.${list}[${i}]`);
    }
  }
  return errors;
}

/**
 * Compares a profile in an annotation with that of a field. Any annotation that is neither a file nor `unconfined`
 * means the runtime's default profile.
 */
function disagreement(annotation: string, { type, localhostProfile }: SeccompProfile, at: string): FieldError[] {
  const file = annotation.startsWith("localhost/") ? annotation.slice("localhost/".length) : undefined;
  const meant = file !== undefined ? "Localhost" : annotation === "unconfined" ? "Unconfined" : "RuntimeDefault";
  if (type !== meant) return [field.forbidden(`${at}.type`, "seccomp type in annotation and field must match")];
  return file !== undefined && file !== localhostProfile
    ? [field.forbidden(`${at}.localhostProfile`, "seccomp profile in annotation and field must match")]
    : [];
}
