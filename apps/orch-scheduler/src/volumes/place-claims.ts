import type { core, storage } from "@orchernetes/api";
import { labelSelectorAsSelector, quantityOf, type Selector } from "@orchernetes/apimachinery";
import {
  annotationOf,
  type Claim,
  classNameOf,
  compileVolumeAffinity,
  isInTopology,
  type NodePredicate,
  requestOf,
  type StorageClass,
  selectedNode,
  type Volume,
  volumesForScheduling,
} from "@orchernetes/component-helpers";
import type { Volumes } from "./volumes.ts";

/** What has to happen to the unbound claims of a pod before it can run on a node. */
export interface VolumePlan {
  /** Volumes that exist and are to be bound. */
  readonly bindings: readonly { readonly volume: Volume; readonly claim: Claim }[];
  /** Claims for which a volume is to be created. */
  readonly provisions: readonly Claim[];
}

/** The plan for a node, or why the claims cannot be satisfied there. */
type Placement = VolumePlan | "noVolume" | "noSpace";

/** Decides for one node after another. */
export type ClaimPlacer = (node: core.Node) => Placement;

/** Provisioner of classes whose volumes are created by an administrator. */
const NO_PROVISIONER = "orchernetes.io/no-provisioner";

interface PreparedClaim {
  readonly claim: Claim;
  /** The node for which a volume is being created; undefined if a volume may still be chosen. */
  readonly selected: string | undefined;
  /** The best first. */
  readonly candidates: readonly { readonly volume: Volume; readonly accessible: NodePredicate | undefined }[];
  /** Whether a volume can be created for the claim that the node can use. */
  provisionable(node: core.Node): "yes" | "noVolume" | "noSpace";
}

/**
 * Prepares the decision about claims that are bound when their first consumer is scheduled. The smallest claim chooses
 * its volume first, so that it does not take one that a larger claim needs. A claim for which a volume is being created
 * already stays with that node. Source: "Volume Binding Mode" of the documentation; the order of the checks, on which
 * the reason of a refusal depends, is the original's.
 */
export function placeClaims(claims: readonly Claim[], volumes: Volumes): ClaimPlacer {
  const prepared = claims
    .map((claim): PreparedClaim => {
      const selected = annotationOf(claim, selectedNode);
      const found =
        selected === undefined ? volumesForScheduling(claim, volumes.volumesOfClass(classNameOf(claim))) : [];
      return {
        claim,
        selected,
        candidates: found.map((volume) => ({ volume, accessible: compileVolumeAffinity(volume) })),
        provisionable: provisioningCheck(claim, volumes.storageClass(classNameOf(claim)), volumes),
      };
    })
    .sort((a, b) => quantityOf(requestOf(a.claim)).cmp(quantityOf(requestOf(b.claim))));
  return (node) => placeOn(node, prepared);
}

function placeOn(node: core.Node, prepared: readonly PreparedClaim[]): Placement {
  if (prepared.some(({ selected }) => selected !== undefined && selected !== node.metadata.name)) return "noVolume";
  const bindings: { volume: Volume; claim: Claim }[] = [];
  const provisions = prepared.filter(({ selected }) => selected !== undefined);
  for (const one of prepared) {
    if (one.selected !== undefined) continue;
    const found = one.candidates.find(
      ({ volume, accessible }) =>
        (accessible === undefined || accessible(node)) && !bindings.some((taken) => taken.volume === volume),
    );
    if (found === undefined) provisions.push(one);
    else bindings.push({ volume: found.volume, claim: one.claim });
  }
  for (const { provisionable } of provisions) {
    const verdict = provisionable(node);
    if (verdict !== "yes") return verdict;
  }
  return { bindings, provisions: provisions.map(({ claim }) => claim) };
}

function provisioningCheck(
  claim: Claim,
  storageClass: StorageClass | undefined,
  volumes: Volumes,
): PreparedClaim["provisionable"] {
  const { provisioner = "", allowedTopologies } = storageClass ?? {};
  if (storageClass === undefined || provisioner === "" || provisioner === NO_PROVISIONER) return () => "noVolume";
  const hasRoom = roomCheck(claim, storageClass, volumes);
  return ({ metadata: { labels } }) => {
    if (!isInTopology(allowedTopologies, labels)) return "noVolume";
    return hasRoom(labels) ? "yes" : "noSpace";
  };
}

type RoomCheck = (labels: Readonly<Record<string, string>> | undefined) => boolean;

/** Whether the storage system reports enough room, if its driver reports it at all (KEP-1472). */
function roomCheck(claim: Claim, { provisioner, metadata }: StorageClass, volumes: Volumes): RoomCheck {
  const size = claim.spec.resources?.requests?.storage;
  if (size === undefined || volumes.csiDriver(provisioner)?.spec.storageCapacity !== true) return () => true;
  const wanted = quantityOf(size);
  const pools = volumes.capacities(metadata.name).flatMap((pool): readonly Selector[] => {
    // The largest volume is more precise than the sum of the free space.
    const limit = pool.maximumVolumeSize ?? pool.capacity;
    if (limit === undefined || quantityOf(limit).cmp(wanted) < 0) return [];
    return selectorOfPool(pool);
  });
  return (labels) => pools.some((pool) => pool.matches(labels));
}

function selectorOfPool({ nodeTopology }: storage.CSIStorageCapacity): readonly Selector[] {
  // Without a topology the pool is not accessible from any node.
  return nodeTopology === undefined ? [] : [labelSelectorAsSelector(nodeTopology)];
}
