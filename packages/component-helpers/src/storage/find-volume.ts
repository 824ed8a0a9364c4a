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
 * The volumes that a claim can be bound to, the best first: only the one that is reserved for the claim, if there is
 * one, or else the available ones that are large enough. Smaller volumes, and among all those with fewer access modes,
 * come first, to keep the others for claims that need them.
 */
export function suitableVolumes(claim: Claim, volumes: readonly Volume[]): readonly Volume[] {
  const usable = volumes.filter((volume) => isUsable(volume, claim));
  const reserved = usable.find((volume) => isBoundTo(volume, claim));
  if (reserved !== undefined) return [reserved];
  return usable.filter(availableTo(claim)).sort(compare);
}

/**
 * The best volume for a claim, by {@link suitableVolumes}.
 *
 * @param delayed the scheduler chooses the volume when the claim is used (WaitForFirstConsumer), so only a reserved one
 *   is returned
 */
export function findVolume(claim: Claim, volumes: readonly Volume[], delayed: boolean): Volume | undefined {
  const [best] = suitableVolumes(claim, volumes);
  return best !== undefined && delayed && !isBoundTo(best, claim) ? undefined : best;
}

/** A volume that the scheduler may bind a claim to. */
export interface VolumeCandidate {
  readonly volume: Volume;
  /** Whether it is reserved for the claim. While it is not taken, no other one may be chosen. */
  readonly isReserved: boolean;
}

/**
 * The volumes that the scheduler may bind a claim to, the best first, by the rules of the original: those that are reserved for
 * the claim, whatever their access modes are, and then the available ones, the smallest first.
 */
export function volumesForScheduling(claim: Claim, volumes: readonly Volume[]): readonly VolumeCandidate[] {
  const usable = volumes.filter((volume) => isLargeEnoughAndFree(volume, claim));
  const reserved = usable.filter((volume) => isBoundTo(volume, claim));
  const available = usable
    .filter((volume) => !reserved.includes(volume))
    .filter(availableTo(claim))
    .filter((volume) => offersAccessModes(volume, claim))
    .sort((a, b) => compareSizes(a, b) || compareNames(a, b));
  const candidate = (isReserved: boolean) => (volume: Volume) => ({ volume, isReserved });
  return [...reserved.map(candidate(true)), ...available.map(candidate(false))];
}

const isUsable = (volume: Volume, claim: Claim): boolean =>
  isLargeEnoughAndFree(volume, claim) && offersAccessModes(volume, claim);

function isLargeEnoughAndFree(volume: Volume, claim: Claim): boolean {
  if (volume.spec.claimRef !== undefined && !isBoundTo(volume, claim)) return false;
  if (volume.metadata.deletionTimestamp !== undefined) return false;
  return volumeModesMatch(volume, claim) && isBigEnough(volume, claim);
}

/** Whether a volume that is reserved for nobody is one that the claim asks for. */
function availableTo(claim: Claim): (volume: Volume) => boolean {
  const selector = claim.spec.selector === undefined ? undefined : labelSelectorAsSelector(claim.spec.selector);
  const className = classNameOf(claim);
  return (volume) =>
    // A volume that is not Available yet is about to change, so binding it would probably cause a conflict.
    volume.status?.phase === "Available" &&
    classNameOf(volume) === className &&
    (selector === undefined || selector.matches(volume.metadata.labels));
}

const isBigEnough = (volume: Volume, claim: Claim): boolean =>
  quantityOf(capacityOf(volume)).cmp(quantityOf(requestOf(claim))) >= 0;

/** Sorts the better volume first, and equal ones by name, so that the choice is deterministic. */
function compare(a: Volume, b: Volume): number {
  const modes = (a.spec.accessModes?.length ?? 0) - (b.spec.accessModes?.length ?? 0);
  if (modes !== 0) return modes;
  return compareSizes(a, b) || compareNames(a, b);
}

const compareSizes = (a: Volume, b: Volume): number => quantityOf(capacityOf(a)).cmp(quantityOf(capacityOf(b)));
const compareNames = (a: Volume, b: Volume): number => (a.metadata.name < b.metadata.name ? -1 : 1);

/** Why a claim cannot be bound to the volume that it names; undefined if it can. The messages are the original's. */
export function mismatch(volume: Volume, claim: Claim): string | undefined {
  if (!isBigEnough(volume, claim)) return "requested PV is too small";
  if (classNameOf(volume) !== classNameOf(claim)) return "storageClassName does not match";
  if (!volumeModesMatch(volume, claim)) return "incompatible volumeMode";
  if (!offersAccessModes(volume, claim)) return "incompatible accessMode";
  return undefined;
}
