import type { PodInfo } from "./pod-info.ts";

/** Nominated pods, for which victims are being evicted, as decisions about other pods see them. */
export interface Nominations {
  /** Nominated pods whose resources the given pod must not use, by node. */
  ahead(of: PodInfo): ReadonlyMap<string, readonly PodInfo[]>;
  /** Whether evictions in favor of the pod are still being written: its victims do not look as if they terminated yet. */
  isEvicting(uid: string): boolean;
}

const NONE: ReadonlyMap<string, readonly PodInfo[]> = new Map();

/** No nominated pods. */
export const noNominations: Nominations = { ahead: () => NONE, isEvicting: () => false };

/**
 * Pods that wait until their preemption victims have terminated. Pods of equal or lower priority must not use the resources that
 * become free: otherwise a smaller pod could take them, and the eviction would have been in vain.
 */
export class NominatedPods implements Nominations {
  readonly #byKey = new Map<string, { readonly info: PodInfo; readonly node: string }>();
  /** Uids of the pods for which evictions are being written. */
  readonly #evicting = new Set<string>();

  #revision = 0;

  /** Increases with each change. */
  get revision(): number {
    return this.#revision;
  }

  get size(): number {
    return this.#byKey.size;
  }

  /** All of them, in the order in which they were nominated. */
  get all(): readonly { readonly info: PodInfo; readonly node: string }[] {
    return [...this.#byKey.values()];
  }

  /** Sets the nominated node of a pod; "" removes it. */
  set(info: PodInfo, node: string): void {
    this.#revision++;
    if (node === "") this.#byKey.delete(info.key);
    else this.#byKey.set(info.key, { info, node });
  }

  delete(key: string): void {
    if (this.#byKey.delete(key)) this.#revision++;
  }

  /** Evictions in favor of a pod begin to be written, or have been. */
  setEvicting(uid: string, isEvicting: boolean): void {
    if (isEvicting) this.#evicting.add(uid);
    else this.#evicting.delete(uid);
  }

  isEvicting(uid: string): boolean {
    return this.#evicting.has(uid);
  }

  nodeOf(key: string): string {
    return this.#byKey.get(key)?.node ?? "";
  }

  ahead(of: PodInfo): ReadonlyMap<string, readonly PodInfo[]> {
    if (this.#byKey.size === 0) return NONE;
    const ahead = new Map<string, PodInfo[]>();
    for (const { info, node } of this.#byKey.values()) {
      if (info.key === of.key || info.priority < of.priority) continue;
      const others = ahead.get(node);
      if (others === undefined) ahead.set(node, [info]);
      else others.push(info);
    }
    return ahead;
  }

  /**
   * Pods of lower priority that are nominated for a node. Their nominations end when a pod of higher priority is
   * nominated there.
   */
  below(node: string, priority: number): readonly PodInfo[] {
    return [...this.#byKey.values()]
      .filter((entry) => entry.node === node && entry.info.priority < priority)
      .map(({ info }) => info);
  }
}
