/**
 * What of a write's first pass through the mutating webhooks decides whom the second one asks again: webhooks that want it, if the
 * object was changed after their call, be it by another webhook or by a plugin.
 */
export class Reinvocation {
  readonly #called = new Set<string>();
  readonly #again = new Set<string>();
  #lastOutput = "";

  /** A webhook with `reinvocationPolicy: IfNeeded` was called. */
  called(uid: string): void {
    this.#called.add(uid);
  }

  /** The object was changed: those called so far are to see it again. */
  changed(): void {
    for (const uid of this.#called) this.#again.add(uid);
    this.#called.clear();
  }

  isWanted(uid: string): boolean {
    return this.#again.has(uid);
  }

  /** The object as the pass left it, as text. */
  leave(object: string): void {
    this.#lastOutput = object;
  }

  /** Begins the second pass, with the object as plugins left it. */
  enter(object: string): void {
    if (object !== this.#lastOutput) this.changed();
  }
}
