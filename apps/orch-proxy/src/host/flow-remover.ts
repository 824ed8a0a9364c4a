import { type Logger, messageOf } from "@orchernetes/kernel";
import type { StaleFlows } from "@orchernetes/proxy";
import { flowDeleter } from "./connection-tracking.ts";
import { StaleFlowSet } from "./stale-flow-set.ts";

/** Frontends whose entries are deleted by one run of `conntrack`. */
const BATCH = 200;

/** The options of {@link FlowRemover}. */
export interface FlowRemoverOptions {
  readonly logger: Logger;
  /** @default the program `conntrack` */
  readonly deleteFlows?: ((flows: readonly StaleFlows[]) => Promise<void>) | undefined;
}

/**
 * Deletes entries of connection tracking in the background, one batch at a time: that takes seconds where the kernel has many
 * connections, and the rules of other services must not wait for it.
 */
export class FlowRemover {
  readonly #waiting = new StaleFlowSet();
  readonly #delete: (flows: readonly StaleFlows[]) => Promise<void>;
  readonly #logger: Logger;
  #running: Promise<void> | undefined;

  constructor({ logger, deleteFlows = flowDeleter() }: FlowRemoverOptions) {
    this.#delete = deleteFlows;
    this.#logger = logger;
  }

  /** Deletes these entries soon. A failure is logged: the rules are right all the same. */
  add(flows: Iterable<StaleFlows>): void {
    const dropped = this.#waiting.add(flows);
    if (dropped > 0)
      this.#logger.warn("Too many conntrack entries are to be deleted, so the oldest expire instead", {
        frontends: dropped,
      });
    if (!this.#waiting.isEmpty) this.#running ??= this.#run();
  }

  /** Forgets what waits. Resolves when the current run has ended. */
  async close(): Promise<void> {
    this.#waiting.clear();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#waiting.isEmpty) {
      try {
        await this.#delete(this.#waiting.take(BATCH));
      } catch (error) {
        // Only clients that go on sending from one port are kept where they were.
        this.#logger.warn("Unable to delete conntrack entries, so some UDP clients keep their previous endpoints", {
          error: messageOf(error),
        });
      }
    }
    this.#running = undefined;
  }
}
