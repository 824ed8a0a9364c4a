/** Names a value of a {@link CycleState}, and its type. Compared by identity: each key is another value. */
export interface StateKey<T> {
  readonly name: string;
  /** Only for the type checker. */
  readonly type?: T;
}

/** Makes a key. @param name for readers of a debugger */
export const stateKey = <T>(name: string): StateKey<T> => ({ name });

/**
 * What plugins pass from one extension point to the next, for one attempt to schedule one pod: from PreFilter until
 * PostBind. A repetition of the filters with other pods on a node has a state of its own.
 */
export class CycleState {
  #values: Map<StateKey<unknown>, unknown> | undefined;
  #podsToActivate: Set<string> | undefined;

  /** The value; undefined if no earlier point wrote one, for example because the plugin is disabled there. */
  get<T>(key: StateKey<T>): T | undefined {
    return this.#values?.get(key) as T | undefined;
  }

  set<T>(key: StateKey<T>, value: T): void {
    this.#values ??= new Map();
    this.#values.set(key, value);
  }

  /**
   * Pods that are tried next, as NAMESPACE/NAME, whatever they wait for and however long their back-off is. They are taken when the
   * pod of this attempt was reserved and no Permit plugin has rejected it, and again when it was bound; if the attempt fails before,
   * they are ignored.
   */
  get podsToActivate(): Set<string> {
    this.#podsToActivate ??= new Set();
    return this.#podsToActivate;
  }

  /** Returns the pods to activate, of which there are none afterwards; undefined if there are none. For the scheduler. */
  takePodsToActivate(): readonly string[] | undefined {
    if (this.#podsToActivate === undefined) return undefined;
    const taken = [...this.#podsToActivate];
    // A plugin may keep the set, and add to it again.
    this.#podsToActivate.clear();
    return taken;
  }
}
