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
  type VolumeCandidate,
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
  readonly candidates: readonly (VolumeCandidate & { readonly accessible: NodePredicate | undefined })[];
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
        candidates: found.map((one) => ({ ...one, accessible: compileVolumeAffinity(one.volume) })),
        provisionable: provisioningCheck(claim, volumes.storageClass(classNameOf(claim)), volumes),
      };
    })
    .sort((a, b) => quantityOf(requestOf(a.claim)).cmp(quantityOf(requestOf(b.claim))));
  return (node) => placeOn(node, prepared);
}

/** The volume for a claim; undefined if there is none. A volume that is reserved for the claim is never passed over. */
function choose(node: core.Node, { candidates }: PreparedClaim, bindings: VolumePlan["bindings"]): Volume | undefined {
  for (const { volume, isReserved, accessible } of candidates) {
    if (bindings.some((taken) => taken.volume === volume)) continue;
    if (accessible === undefined || accessible(node)) return volume;
    if (isReserved) return undefined;
  }
  return undefined;
}

/**
 * The plan with each claim once, for carrying it out: as in the original, a claim that a pod names twice needs two volumes, which both
 * count in the score, but it is bound to one.
 */
export function withoutRepetition({ bindings, provisions }: VolumePlan): VolumePlan {
  const firsts = <T>(list: readonly T[], same: (a: T, b: T) => boolean) =>
    list.filter((one, i) => list.findIndex((other) => same(one, other)) === i);
  const isSame = (a: Claim, b: Claim): boolean => a.metadata.uid === b.metadata.uid;
  return {
    bindings: firsts(bindings, (a, b) => isSame(a.claim, b.claim)),
    provisions: firsts(provisions, isSame).filter((claim) => !bindings.some((one) => isSame(one.claim, claim))),
  };
}

function placeOn(node: core.Node, prepared: readonly PreparedClaim[]): Placement {
  if (prepared.some(({ selected }) => selected !== undefined && selected !== node.metadata.name)) return "noVolume";
  const bindings: { volume: Volume; claim: Claim }[] = [];
  const provisions = prepared.filter(({ selected }) => selected !== undefined);
  for (const one of prepared) {
    if (one.selected !== undefined) continue;
    const volume = choose(node, one, bindings);
    if (volume === undefined) provisions.push(one);
    else bindings.push({ volume, claim: one.claim });
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
