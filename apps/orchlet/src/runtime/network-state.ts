import type { CriClient } from "@orchernetes/cri";
import type { Clock } from "@orchernetes/kernel";

/** Time for which an answer of the runtime counts, in milliseconds: many pods may wait for the network. */
const freshMs = 500;

interface RuntimeCondition {
  readonly type: string;
  readonly status: boolean;
  readonly reason: string;
  readonly message: string;
}

/** Why the network of pods does not work; undefined if it does. The message is the original's. */
export function networkErrorOf(conditions: readonly RuntimeCondition[]): string | undefined {
  const found = conditions.find(({ type }) => type === "NetworkReady");
  if (found === undefined || found.status) return undefined;
  return `container runtime network not ready: NetworkReady=false reason:${found.reason} message:${found.message}`;
}

/**
 * Whether the network of pods works. As long as it does, the runtime is not asked: the observations of the node are enough. When it does
 * not, every start of a pod asks again, so that pods start as soon as it works.
 */
export class NetworkState {
  readonly #cri: CriClient;
  readonly #clock: Pick<Clock, "monotonicMs">;
  #error: string | undefined;
  #askedAtMs = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;

  constructor(cri: CriClient, clock: Pick<Clock, "monotonicMs">) {
    this.#cri = cri;
    this.#clock = clock;
  }

  /** Notes what an observation of the node has found. */
  note(error: string | undefined): void {
    this.#error = error;
    this.#askedAtMs = this.#clock.monotonicMs();
  }

  /** Why the network does not work; undefined if it does. A runtime that does not answer does not change what is known. */
  async error(): Promise<string | undefined> {
    if (this.#error !== undefined && this.#clock.monotonicMs() - this.#askedAtMs > freshMs) {
      this.#asking ??= this.#ask();
      await this.#asking;
    }
    return this.#error;
  }

  async #ask(): Promise<void> {
    try {
      const { status } = await this.#cri.runtime.status({});
      this.note(networkErrorOf(status?.conditions ?? []));
    } catch {
      this.#askedAtMs = this.#clock.monotonicMs();
    } finally {
      this.#asking = undefined;
    }
  }
}
