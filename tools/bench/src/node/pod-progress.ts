import { core } from "@orchernetes/api";
import { type Client, createInformer } from "@orchernetes/client";
import { isPodReady } from "@orchernetes/component-helpers";

/** Follows the pods of a namespace. Times are those at which this process was told, by `performance.now()`. */
export class PodProgress {
  readonly #readyAt = new Map<string, number>();
  readonly #waiting = new Set<{ readonly isOver: () => boolean; readonly resolve: () => void }>();
  readonly #count: () => number;

  private constructor(count: () => number) {
    this.#count = count;
  }

  /** Follows the pods of a namespace until the signal aborts. Resolves when those that are there are known. */
  static async follow(client: Client, namespace: string, signal: AbortSignal): Promise<PodProgress> {
    const informer = createInformer(client, core.pods, { namespace });
    const progress = new PodProgress(() => informer.lister.list().length);
    const look = (pod: core.Pod): void => {
      const { name = "" } = pod.metadata;
      if (isPodReady(pod) && !progress.#readyAt.has(name)) progress.#readyAt.set(name, performance.now());
      progress.#tell();
    };
    informer.addHandler({ onAdd: look, onUpdate: (_, pod) => look(pod), onDelete: () => progress.#tell() });
    void informer.run(signal);
    await informer.waitForSync(signal);
    return progress;
  }

  /** When each of the pods became ready, in the order of the names. @throws Error when one is not within the limit */
  async ready(names: readonly string[], timeoutMs: number): Promise<readonly number[]> {
    const missing = (): readonly string[] => names.filter((name) => !this.#readyAt.has(name));
    await this.#until(
      () => missing().length === 0,
      timeoutMs,
      () => `${missing().length} of ${names.length} pods are not ready, as ${missing()[0]}`,
    );
    return names.map((name) => this.#readyAt.get(name) ?? Number.NaN);
  }

  /** Resolves when there is no pod. @throws Error when some are left after the limit */
  async gone(timeoutMs: number): Promise<void> {
    await this.#until(
      () => this.#count() === 0,
      timeoutMs,
      () => `${this.#count()} pods are left`,
    );
  }

  async #until(isOver: () => boolean, timeoutMs: number, what: () => string): Promise<void> {
    if (isOver()) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { isOver, resolve };
    this.#waiting.add(waiting);
    const timer = setTimeout(() => reject(new Error(`after ${timeoutMs / 1000} s ${what()}`)), timeoutMs);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(waiting);
    }
  }

  #tell(): void {
    for (const { isOver, resolve } of this.#waiting) if (isOver()) resolve();
  }
}
