import { keyOf } from "@orchernetes/apimachinery";
import { findVolume } from "./binding/find-volume.ts";
import { type Claim, claimKeyOf, classNameOf, type StorageClass, type Volume } from "./binding/volumes-and-claims.ts";
import { defaultClassOf } from "./default-class.ts";

export interface WakeDeps {
  /** Claims of a class that are not bound yet. */
  unbound(className: string): readonly Claim[];
  classByName(name: string): StorageClass | undefined;
  queue(key: string): void;
}

/**
 * Has claims looked at for which something new is there, ahead of the regular look at everything. No more of them than may be
 * served: each look at a claim that stays pending tells its owner so, again.
 */
export interface ClaimWaker {
  /** Wakes the claim that a volume is reserved for, else the first that it suits and that was not woken for another. */
  volumeAvailable(volume: Volume): void;
  /** Wakes the claims of a class, and of no class when it is the default. */
  classChanged(storageClass: StorageClass): void;
  /** The claim is being looked at, or is gone: it may be woken again. */
  seen(key: string): void;
}

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
