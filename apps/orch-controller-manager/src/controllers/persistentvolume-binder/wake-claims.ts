import { keyOf } from "@orchernetes/apimachinery";
import {
  type Claim,
  claimKeyOf,
  classNameOf,
  findVolume,
  type StorageClass,
  type Volume,
} from "@orchernetes/component-helpers";
import { defaultClassOf } from "./default-class.ts";

/** The caches and the queue of claims. */
export interface WakeDeps {
  /** Unbound claims of a class. */
  unbound(className: string): readonly Claim[];
  classByName(name: string): StorageClass | undefined;
  queue(key: string): void;
}

/**
 * Enqueues claims that a new volume or class may suit, without waiting for the periodic sync. No more claims than can
 * be bound are enqueued, because each sync of a claim that stays pending records an event.
 */
export interface ClaimWaker {
  /**
   * Enqueues the claim for which a volume is reserved, or else the first suitable claim that was not enqueued for
   * another volume.
   */
  volumeAvailable(volume: Volume): void;
  /** Enqueues the claims of a class, and claims without a class if it is the default. */
  classChanged(storageClass: StorageClass): void;
  /** Records that the claim is being synced or is deleted, so that it may be enqueued again. */
  seen(key: string): void;
}

/** Creates a waker without state. */
export function createClaimWaker({ unbound, classByName, queue }: WakeDeps): ClaimWaker {
  const woken = new Set<string>();
  const wake = (key: string): void => {
    woken.add(key);
    queue(key);
  };
  return {
    volumeAvailable(volume) {
      const reservedFor = claimKeyOf(volume);
      if (reservedFor !== undefined) {
        wake(reservedFor);
        return;
      }
      const className = classNameOf(volume);
      if (classByName(className)?.volumeBindingMode === "WaitForFirstConsumer") return;
      const served = unbound(className).find((claim) => {
        return !woken.has(keyOf(claim)) && findVolume(claim, [volume], false) !== undefined;
      });
      if (served !== undefined) wake(keyOf(served));
    },
    classChanged(storageClass) {
      for (const claim of unbound(storageClass.metadata.name)) wake(keyOf(claim));
      if (defaultClassOf([storageClass]) !== undefined) for (const claim of unbound("")) wake(keyOf(claim));
    },
    seen: (key) => void woken.delete(key),
  };
}
