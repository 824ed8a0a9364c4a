import { isStoreError } from "@orchernetes/storage";
import type { FinishWrite } from "../interfaces/index.ts";

/** A write that {@link WriteHooks} have begun; ends it exactly once, with its outcome. */
export class BegunWrite {
  readonly #finish: FinishWrite;
  #committing = false;
  #ended = false;

  constructor(finish: FinishWrite) {
    this.#finish = finish;
  }

  /** Runs the commit. If it throws, the outcome is unknown, unless the store has rejected the write. */
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

  /** The object is stored as the hooks left it. */
  async stored(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.#finish("stored");
  }

  /** The write ended in any other way. Does nothing after {@link stored}. */
  async abandoned(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.#finish(this.#committing ? "unknown" : "rejected");
  }
}
