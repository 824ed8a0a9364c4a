import { labelSelectorAsSelector, quantityOf } from "@orchernetes/apimachinery";
import {
  type Claim,
  capacityOf,
  classNameOf,
  isBoundTo,
  offersAccessModes,
  requestOf,
  type Volume,
  volumeModesMatch,
} from "./volumes-and-claims.ts";

/**
 * Finds the best volume for a claim: one that is reserved for it, or else the smallest available one that is large
 * enough. Volumes with fewer access modes are preferred, to keep the others for claims that need them.
 *
 * @param delayed the scheduler chooses the volume when the claim is used (WaitForFirstConsumer), so only a reserved one
 *   is returned
 */
export function findVolume(claim: Claim, volumes: readonly Volume[], delayed: boolean): Volume | undefined {
  const suitable = volumes.filter((volume) => isUsable(volume, claim));
  const reserved = suitable.find((volume) => isBoundTo(volume, claim));
  if (reserved !== undefined || delayed) return reserved;
  const selector = claim.spec.selector === undefined ? undefined : labelSelectorAsSelector(claim.spec.selector);
  const className = classNameOf(claim);
  let best: Volume | undefined;
  for (const volume of suitable) {
    // A volume that is not Available yet is about to change, so binding it would probably cause a conflict.
    if (volume.status?.phase !== "Available" || classNameOf(volume) !== className) continue;
    if (selector !== undefined && !selector.matches(volume.metadata.labels)) continue;
    if (best === undefined || compare(volume, best) < 0) best = volume;
  }
  return best;
}

function isUsable(volume: Volume, claim: Claim): boolean {
  if (volume.spec.claimRef !== undefined && !isBoundTo(volume, claim)) return false;
  if (volume.metadata.deletionTimestamp !== undefined) return false;
  if (!volumeModesMatch(volume, claim) || !offersAccessModes(volume, claim)) return false;
  return isBigEnough(volume, claim);
}

const isBigEnough = (volume: Volume, claim: Claim): boolean =>
  quantityOf(capacityOf(volume)).cmp(quantityOf(requestOf(claim))) >= 0;

/** Sorts the better volume first, and equal ones by name, so that the choice is deterministic. */
function compare(a: Volume, b: Volume): number {
  const modes = (a.spec.accessModes?.length ?? 0) - (b.spec.accessModes?.length ?? 0);
  if (modes !== 0) return modes;
  const order = quantityOf(capacityOf(a)).cmp(quantityOf(capacityOf(b)));
  return order !== 0 ? order : a.metadata.name < b.metadata.name ? -1 : 1;
}

/** Why a claim cannot be bound to the volume that it names; undefined if it can. The messages are the original's. */
export function mismatch(volume: Volume, claim: Claim): string | undefined {
  if (!isBigEnough(volume, claim)) return "requested PV is too small";
  if (classNameOf(volume) !== classNameOf(claim)) return "storageClassName does not match";
  if (!volumeModesMatch(volume, claim)) return "incompatible volumeMode";
  if (!offersAccessModes(volume, claim)) return "incompatible accessMode";
  return undefined;
}
