import type { core } from "@orchernetes/api";
import type { ApiObject, Stored } from "@orchernetes/apimachinery";
import { keyOf } from "@orchernetes/apimachinery";
import { annotationOf, type Claim, selectedNode, type Volume } from "@orchernetes/component-helpers";
import type { PodInfo } from "../cache/pod-info.ts";
import type { VolumePlan } from "./place-claims.ts";
import { isFullyBound } from "./pod-claims.ts";
import { compileAccess } from "./volume-access.ts";
import type { VolumeCaches } from "./volumes.ts";

/** The bindings that a pod waits for. */
export interface ExpectedBindings {
  readonly claimKeys: readonly string[];
  /** Whether all are complete. @throws Error with the original's message if they will not be, and the pod must be scheduled again */
  check(): boolean;
}

/** The state that the checks read: as observed, not as assumed, because other programs complete the bindings. */
interface Observed {
  readonly caches: VolumeCaches;
  readonly podExists: (info: PodInfo) => boolean;
  readonly node: (name: string) => core.Node | undefined;
}

/** Creates the check of a plan that was written. */
export function expectedBindings(
  info: PodInfo,
  nodeName: string,
  { bindings, provisions }: VolumePlan,
  observed: Observed,
): ExpectedBindings {
  const claims = [...bindings.map(({ claim }) => claim), ...provisions];
  return {
    claimKeys: claims.map(keyOf),
    check() {
      const node = observed.node(nodeName);
      if (node === undefined) throw failure(`failed to get node "${nodeName}": node "${nodeName}" not found`);
      if (!observed.podExists(info))
        throw failure(`pod does not exist any more: pod "${info.pod.metadata.name}" not found`);
      return (
        bindings.every(({ volume, claim }) => isVolumeBound(volume, claim, node, observed)) &&
        provisions.every((claim) => isProvisioned(claim, node, observed))
      );
    },
  };
}

const failure = (message: string): Error => new Error(`binding volumes: ${message}`);

/** Whether the cache does not contain our write yet. */
const isOlder = (cached: Stored<ApiObject>, written: Stored<ApiObject>): boolean =>
  Number(cached.metadata.resourceVersion) < Number(written.metadata.resourceVersion);

function isVolumeBound(written: Volume, { metadata }: Claim, node: core.Node, { caches }: Observed): boolean {
  const { name } = written.metadata;
  const volume = caches.persistentVolumes.observed(name);
  const claim = caches.claims.observed(keyOf({ metadata }));
  if (volume === undefined) throw failure(`failed to check binding: could not find v1.PersistentVolume "${name}"`);
  if (claim === undefined)
    throw failure(`failed to check binding: could not find v1.PersistentVolumeClaim "${keyOf({ metadata })}"`);
  if (isOlder(volume, written)) return false;
  requireAccess(volume, node, caches);
  if (!volume.spec.claimRef?.uid) throw failure(`ClaimRef got reset for pv "${name}"`);
  return isFullyBound(claim);
}

function isProvisioned(written: Claim, node: core.Node, { caches }: Observed): boolean {
  const { name } = written.metadata;
  const claim = caches.claims.observed(keyOf(written));
  if (claim === undefined)
    throw failure(`failed to check provisioning pvc: could not find v1.PersistentVolumeClaim "${keyOf(written)}"`);
  if (isOlder(claim, written)) return false;
  // A provisioner that cannot create the volume removes the annotation.
  if (annotationOf(claim, selectedNode) !== node.metadata.name) throw failure(`provisioning failed for PVC "${name}"`);
  const { volumeName } = claim.spec;
  if (!volumeName) return false;
  const volume = caches.persistentVolumes.observed(volumeName);
  // The watch of volumes may lag behind that of claims.
  if (volume === undefined) return false;
  requireAccess(volume, node, caches);
  return isFullyBound(claim);
}

function requireAccess(volume: Volume, node: core.Node, caches: VolumeCaches): void {
  const accessible = compileAccess(volume, caches);
  if (accessible === undefined || accessible(node)) return;
  throw failure(
    `pv "${volume.metadata.name}" node affinity doesn't match node "${node.metadata.name}": no matching NodeSelectorTerms`,
  );
}
