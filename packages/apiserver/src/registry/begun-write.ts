import { isStoreError } from "@orchernetes/storage";
import type { FinishWrite } from "../interfaces/index.ts";

/**
 * A write that {@link WriteHooks} have begun, from their reservations to its outcome. It reports the outcome to them
 * exactly once.
 *
 * The third outcome, `unknown`, is why this class exists: when the connection to the store breaks during a commit, the
 * object may be stored or not. What was reserved for it (an IP address, a node port) must then stay reserved, since
 * releasing it could give it to a second object; the repair loops find out later.
 */
export class BegunWrite {
  readonly #finish: FinishWrite;
  #committing = false;
  #ended = false;

  constructor(finish: FinishWrite) {
    this.#finish = finish;
  }

  /**
   * Runs the commit. If it throws, the outcome is unknown, unless the store has certainly rejected the write:
   * `TooLarge` and `NoSpace` are answers of the store. A conflict is a result and does not throw.
   */
  async commit<T>(write: () => Promise<T>): Promise<T> {
    this.#committing = true;
    try {
      const result = await write();
      this.#committing = false;
      return result;
    } catch (error) {
      this.#committing = !(isStoreError(error, "TooLarge") || isStoreError(error, "NoSpace"));
      throw error;
    }
  }

  /** Reports that the object is stored as the hooks left it. */
  async stored(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.#finish("stored");
  }

  /**
   * Reports that the write ended in any other way. Does nothing after {@link stored}, so that it can be called in a
   * `finally`.
   */
  async abandoned(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.#finish(this.#committing ? "unknown" : "rejected");
  }
}
