import { type FieldError, field, isDns1123Subdomain, isValidIP, parseIp } from "@orchernetes/apimachinery";
import { firstByKey } from "../../../shared/repeated.ts";
import type { ContainerStatus } from "../types/container-status.ts";
import type { Pod } from "../types/pod.ts";
import { validatePodAnnotationsUpdate } from "./pod-annotations.ts";

/** Validates an update of a pod's status. */
export function validatePodStatusUpdate(pod: Pod, old: Pod): FieldError[] {
  const errors = validatePodAnnotationsUpdate(pod, old);
  const { status } = pod;
  if (status.nominatedNodeName) {
    const messages = isDns1123Subdomain(status.nominatedNodeName);
    errors.push(...messages.map((text) => field.invalid("status.nominatedNodeName", status.nominatedNodeName, text)));
  }
  for (const list of ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const) {
    // Ephemeral containers are never restarted.
    const policy = list === "ephemeralContainerStatuses" ? "Never" : old.spec.restartPolicy;
    errors.push(...validateTransitions(status[list], old.status[list], list, policy));
  }
  errors.push(...validatePodIPs(pod));
  return errors;
}

/**
 * Validates that a terminated container which is not restarted stays terminated: controllers such as Job rely on it.
 */
function validateTransitions(
  statuses: readonly ContainerStatus[] | undefined,
  old: readonly ContainerStatus[] | undefined,
  list: string,
  restartPolicy: string | undefined,
): FieldError[] {
  // Init containers of pods with policy Always may run again, together with the pod's sandbox.
  if (restartPolicy === "Always" || old === undefined) {
    return [];
  }
  const errors: FieldError[] = [];
  const now = firstByKey(statuses, ({ name }) => name);
  for (const [i, before] of old.entries()) {
    const ended = before.state?.terminated;
    if (ended === undefined || (restartPolicy === "OnFailure" && ended.exitCode !== 0)) {
      continue;
    }
    const after = now.get(before.name);
    if (after !== undefined && after.state?.terminated === undefined) {
      const detail = "may not be transitioned to non-terminated state";
      errors.push(field.forbidden(`status.${list}[${i}].state`, detail));
    }
  }
  return errors;
}

/** Validates addresses: at most one per family (KEP-563). */
function validatePodIPs({ status }: Pod): FieldError[] {
  const addresses = (status.podIPs ?? []).map(({ ip = "" }) => ip);
  const errors = addresses.flatMap((ip, i) =>
    isValidIP(ip).map((text) => field.invalid(`status.podIPs[${i}].ip`, ip, text)),
  );
  if (errors.length > 0 || addresses.length < 2) {
    return errors;
  }
  const families = new Set(addresses.map((ip) => parseIp(ip)?.length));
  if (addresses.length > 2 || families.size < 2) {
    const detail = "may specify no more than one IP for each IP family";
    errors.push(field.invalid("status.podIPs", addresses, detail));
  }
  return errors;
}
