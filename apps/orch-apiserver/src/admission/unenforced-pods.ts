import type { core } from "@orchernetes/api";
import { forbidden } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, AdmissionContext } from "@orchernetes/apiserver";
import { podSpecIn } from "./pod-spec-in.ts";
import { groupResource, isAbout } from "./shared/attributes.ts";

type PodSpec = core.PodSpec;

/** A field of a pod spec that nodes do not act on. */
interface Finding {
  readonly text: string;
  /** Whether ignoring the field would weaken the isolation of the pod. */
  readonly harmful: boolean;
}

/** @param at path of the pod spec */
function findingsIn(spec: PodSpec, at: string): readonly Finding[] {
  const findings: Finding[] = [];
  if (spec.hostUsers === false)
    findings.push({
      text: `${at}.hostUsers: found false, but nodes run all pods in the host's user namespace; want true, or no value`,
      harmful: true,
    });
  if (spec.resourceClaims?.length)
    findings.push({
      text: `${at}.resourceClaims: nothing allocates claims of devices: they have no effect`,
      harmful: false,
    });
  return findings;
}

/**
 * Warns about fields of a pod, or of a workload's template, that nodes do not act on. An update does not repeat the warnings for
 * fields that were set before.
 *
 * @throws ApiError Forbidden for a pod that would run less isolated than it requests
 */
export function checkPods(attributes: AdmissionAttributes, { warn }: AdmissionContext): void {
  const { operation, object, oldObject, resource, name } = attributes;
  const isPod = isAbout(attributes, "", "pods");
  // The fields that are checked are immutable in pods.
  if (object === undefined || (isPod && operation !== "CREATE")) return;
  const place = podSpecIn(resource, object);
  if (place === undefined) return;
  const old = oldObject && podSpecIn(resource, oldObject);
  const before = new Set(old && findingsIn(old.spec, old.at).map(({ text }) => text));
  for (const { text, harmful } of findingsIn(place.spec, place.at)) {
    if (harmful && isPod) throw forbidden(groupResource(resource), name, text);
    if (!before.has(text)) warn(text);
  }
}
