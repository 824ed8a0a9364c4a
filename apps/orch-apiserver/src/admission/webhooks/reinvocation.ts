/**
 * Decides which mutating webhooks are called again in the second pass of a write: those with `reinvocationPolicy: IfNeeded` whose object was
 * changed after their call, by another webhook or by a plugin (upstream's `webhookReinvokeContext`).
 */
export class Reinvocation {
  readonly #called = new Set<string>();
  readonly #again = new Set<string>();
  #lastOutput = "";

  /** A webhook with `reinvocationPolicy: IfNeeded` was called. */
  called(uid: string): void {
    this.#called.add(uid);
  }

  /** A webhook has changed the object: the webhooks that were called before it are called again. */
  changed(): void {
    for (const uid of this.#called) this.#again.add(uid);
    this.#called.clear();
  }

  isWanted(uid: string): boolean {
    return this.#again.has(uid);
  }

  /** Ends the first pass. @param object the object as text, for the comparison in {@link enter} */
  leave(object: string): void {
    this.#lastOutput = object;
  }

  /** Starts the second pass. @param object the object as text, which plugins may have changed since the first pass */
  enter(object: string): void {
    if (object !== this.#lastOutput) this.changed();
  }
}
