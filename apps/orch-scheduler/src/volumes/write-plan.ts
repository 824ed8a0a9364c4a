import { core } from "@orchernetes/api";
import type { Client } from "@orchernetes/client";
import { type Claim, reserveVolume, selectedNode, type Volume } from "@orchernetes/component-helpers";
import type { VolumePlan } from "./place-claims.ts";

/**
 * Writes a plan: volumes are reserved for their claims, and claims get the node for which a volume is to be created. The
 * controller of volumes does the rest. Each write applies only to the version that the decision was based on.
 *
 * @returns the plan with the objects as written
 * @throws ApiError, Conflict if an object has changed; what was written before is kept
 */
export async function writePlan(
  { bindings, provisions }: VolumePlan,
  node: string,
  client: Client,
  signal: AbortSignal,
): Promise<VolumePlan> {
  const written: { volume: Volume; claim: Claim }[] = [];
  for (const { volume, claim } of bindings) {
    const reserved = reserveVolume(volume, claim);
    const { name, resourceVersion, annotations } = reserved.metadata;
    const patch = { metadata: { resourceVersion, annotations }, spec: { claimRef: reserved.spec.claimRef } };
    const volumes = client.resource(core.persistentVolumes);
    const result = reserved === volume ? volume : await volumes.patch(name, patch, { type: "merge", signal });
    written.push({ volume: result, claim });
  }
  const selected: Claim[] = [];
  for (const { metadata } of provisions) {
    const { namespace = "", name, resourceVersion } = metadata;
    const patch = { metadata: { resourceVersion, annotations: { [selectedNode]: node } } };
    const claims = client.resource(core.persistentVolumeClaims).namespace(namespace);
    selected.push(await claims.patch(name, patch, { type: "merge", signal }));
  }
  return { bindings: written, provisions: selected };
}
