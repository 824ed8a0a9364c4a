import type { core } from "@orchernetes/api";
import { formatTime, quantityOf } from "@orchernetes/apimachinery";
import {
  annotationOf,
  type Claim,
  hasAnnotation,
  isBoundTo,
  localPathProvisioner,
  migratedPluginOf,
  provisionedBy,
  requestOf,
  type Volume,
} from "@orchernetes/component-helpers";
import { noPlan, type Plan } from "@orchernetes/controller";

/** On a claim: name of the program that is to expand its volume. */
export const storageResizer = "volume.orchernetes.io/storage-resizer";
/** On a volume: its size before an expansion that the node has not completed. */
const preResizeCapacity = "volume.alpha.orchernetes.io/pre-resize-capacity";

/** A claim and its volume. */
export interface ExpansionState {
  readonly claim: Claim;
  /** The volume that the claim names; undefined if it is not in the cache. */
  readonly volume: Volume | undefined;
}

/** What is done for a claim that asks for a larger volume. */
export type ExpansionAction =
  | { readonly type: "Event"; readonly of: "Normal" | "Warning"; readonly reason: string; readonly message: string }
  /** Sets the resizer of the claim. */
  | {
      readonly type: "SetResizer";
      readonly resizer: string;
      readonly conditions?: readonly core.PersistentVolumeClaimCondition[];
    }
  /** Sets the size of the volume, or removes the annotation about its former size. */
  | { readonly type: "UpdateVolume"; readonly patch: object }
  /** Completes the expansion in the status of the claim. */
  | { readonly type: "FinishClaim"; readonly status: object };

/**
 * Decides what to do for a claim that requests more than it has. Volumes that this program can expand are those of local
 * paths, whose sizes are not enforced; all others are expanded by the resizer of their driver.
 *
 * @throws Error if the volume is not bound to the claim; the caller retries
 */
export function reconcileExpansion({ claim, volume }: ExpansionState, now: Date): Plan<ExpansionAction> {
  if (claim.status?.phase !== "Bound" || claim.metadata.deletionTimestamp !== undefined) return noPlan;
  const { namespace, name } = claim.metadata;
  if (volume === undefined) throw new Error(`failed to get PV "${claim.spec.volumeName ?? ""}"`);
  if (!isBoundTo(volume, claim))
    throw new Error(`persistent Volume is not bound to PVC being updated : ${namespace}/${name}`);
  const have = claim.status.capacity?.storage ?? "0";
  if (compare(requestOf(claim), have) <= 0 && !hasAnnotation(volume, preResizeCapacity)) return noPlan;
  const migrated = migratedPluginOf(volume.spec);
  if (migrated !== undefined) {
    const message = `CSI migration enabled for ${migrated.plugin}; waiting for external resizer to expand the pvc`;
    return { actions: [expanding("Normal", message), ...setResizer(claim, migrated.driver)] };
  }
  if (annotationOf(volume, provisionedBy) === localPathProvisioner && volume.spec.local !== undefined)
    return { actions: expandHere(claim, volume, now) };
  return { actions: [expanding("Warning", "waiting for an external controller to expand this PVC")] };
}

const compare = (a: string, b: string): number => quantityOf(a).cmp(quantityOf(b));

const expanding = (of: "Normal" | "Warning", message: string): ExpansionAction => ({
  type: "Event",
  of,
  reason: "ExternalExpanding",
  message,
});

function setResizer(
  claim: Claim,
  resizer: string,
  conditions?: readonly core.PersistentVolumeClaimCondition[],
): readonly ExpansionAction[] {
  if (annotationOf(claim, storageResizer) === resizer && conditions === undefined) return [];
  return [{ type: "SetResizer", resizer, ...(conditions !== undefined && { conditions }) }];
}

/** Marks the expansion, sets the volume's size, and completes it: the file system of the folder has room or has not. */
function expandHere(claim: Claim, volume: Volume, now: Date): readonly ExpansionAction[] {
  const wanted = requestOf(claim);
  const others = (claim.status?.conditions ?? []).filter(({ type }) => type !== "Resizing");
  const resizing = { type: "Resizing", status: "True", lastTransitionTime: formatTime(now) } as const;
  const size = volume.spec.capacity?.storage ?? "0";
  const larger: readonly ExpansionAction[] =
    compare(size, wanted) >= 0 ? [] : [{ type: "UpdateVolume", patch: { spec: { capacity: { storage: wanted } } } }];
  return [
    ...setResizer(claim, localPathProvisioner, [...others, resizing]),
    ...larger,
    {
      type: "FinishClaim",
      status: { capacity: { storage: compare(size, wanted) >= 0 ? size : wanted }, conditions: others },
    },
    {
      type: "Event",
      of: "Normal",
      reason: "VolumeResizeSuccessful",
      message: `ExpandVolume succeeded for volume ${claim.metadata.namespace}/${claim.metadata.name}`,
    },
  ];
}
