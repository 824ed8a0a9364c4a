import type { core } from "@orchernetes/api";
import { forbidden } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, AdmissionContext } from "@orchernetes/apiserver";
import { groupResource, isAbout } from "./attributes.ts";
import { podSpecIn } from "./pod-spec-in.ts";

type PodSpec = core.PodSpec;

/** What a pod counts on and does not get. */
interface Finding {
  readonly text: string;
  /** Running the pod all the same would break a promise of isolation. */
  readonly harmful: boolean;
}

/** @param at path of the pod's specification */
function findingsIn(spec: PodSpec, at: string): readonly Finding[] {
  const findings: Finding[] = [];
  const idle = (where: string, why: string) => findings.push({ text: `${at}.${where}: ${why}`, harmful: false });
  if (spec.hostUsers === false)
    findings.push({
      text: `${at}.hostUsers: found false, but nodes run all pods in the host's user namespace; want true, or no value`,
      harmful: true,
    });
  if (spec.resourceClaims?.length) idle("resourceClaims", "nothing allocates claims of devices: they have no effect");
  spec.volumes?.forEach(({ emptyDir }, index) => {
    if (emptyDir?.sizeLimit !== undefined && emptyDir.medium !== "Memory")
      idle(
        `volumes[${index}].emptyDir.sizeLimit`,
        `nodes do not limit volumes on disk: ${quoted(emptyDir.sizeLimit)} has no effect`,
      );
  });
  for (const list of ["initContainers", "containers"] as const)
    spec[list]?.forEach(({ resources }, index) => {
      const limit = resources?.limits?.["ephemeral-storage"];
      if (limit !== undefined)
        idle(
          `${list}[${index}].resources.limits[ephemeral-storage]`,
          `nodes do not limit what containers write to disk: ${quoted(limit)} has no effect`,
        );
    });
  return findings;
}

const quoted = (text: string): string => JSON.stringify(text);

/**
 * Says of a pod, or of the template of a workload, what nodes do not do for it. Of what was there before a change nothing is
 * said again.
 *
 * @throws ApiError Forbidden for a pod that would run less isolated than it asks to
 */
export function checkPods(attributes: AdmissionAttributes, { warn }: AdmissionContext): void {
  const { operation, object, oldObject, resource, name } = attributes;
  const isPod = isAbout(attributes, "", "pods");
  // The parts of a pod that are looked at cannot be changed.
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
