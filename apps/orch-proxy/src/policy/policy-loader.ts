import { type EventLoop, type Logger, LongWork, messageOf } from "@orchernetes/kernel";
import { fullBatchInSteps, isEmptyDifference, type PolicyTable, renderDifferenceInSteps } from "@orchernetes/proxy";
import { ProgramTimeoutError } from "../host/run-program.ts";
import type { PacketFilter } from "../nft/packet-filter.ts";
import { TableLoader } from "../nft/table-loader.ts";
import { findRejected } from "./find-rejected.ts";

/** What {@link PolicyLoader} works with. */
export interface PolicyLoaderOptions {
  readonly filter: PacketFilter;
  readonly tableName: string;
  readonly loop: EventLoop;
  readonly logger: Logger;
}

/**
 * Loads a table of policies into the packet filter. A policy because of which the packet filter rejects the table, or
 * needs too long for it, is suspended until its specification changes: the pods that it selects are isolated and it
 * allows nothing, while all others hold. What is computed for that is divided into slices, between which the daemon does its
 * other work.
 */
export class PolicyLoader {
  readonly #filter: PacketFilter;
  readonly #loader: TableLoader;
  readonly #logger: Logger;
  readonly #work: LongWork;
  /** Keys of the policies that have come or changed since the table was loaded. */
  readonly #pending = new Set<string>();
  /** Since the table was loaded. */
  #timeouts = 0;

  constructor({ filter, tableName, loop, logger }: PolicyLoaderOptions) {
    this.#filter = filter;
    this.#loader = new TableLoader(filter, { family: "inet", name: tableName });
    this.#logger = logger;
    this.#work = new LongWork(loop);
  }

  /**
   * Loads what has changed since the last call, or everything if that is not in the packet filter.
   *
   * @throws ProgramError when the packet filter accepts not even a table without policies
   * @throws ProgramTimeoutError when it needs too long for the table even without some policies; each call suspends more
   */
  async load(table: PolicyTable): Promise<void> {
    try {
      await this.#loadAccepted(table);
    } catch (error) {
      if (!(error instanceof ProgramTimeoutError)) throw error;
      this.#suspendPending(table, error);
      await this.#sync(table);
    }
  }

  /** Suspends what is rejected. */
  async #loadAccepted(table: PolicyTable): Promise<void> {
    try {
      return await this.#sync(table);
    } catch (error) {
      if (error instanceof ProgramTimeoutError) throw error;
      this.#logger.warn("The rules of network policies were rejected", { error: messageOf(error) });
    }
    try {
      // The change may have been wrong for what is there: another program may have changed it.
      await this.#sync(table);
    } catch (error) {
      if (error instanceof ProgramTimeoutError) throw error;
      await this.#suspendRejected(table, error);
      await this.#sync(table);
    }
  }

  async #sync(table: PolicyTable): Promise<void> {
    await this.#work.run(table.refresh());
    for (const key of table.takeChangedPolicies()) this.#pending.add(key);
    const difference = await this.#work.run(table.takeDifference());
    const isEmpty = isEmptyDifference(difference);
    const change = isEmpty ? undefined : await this.#work.run(renderDifferenceInSteps(difference));
    const loaded = await this.#loader.sync({ full: () => this.#fullBatch(table), change });
    this.#pending.clear();
    this.#timeouts = 0;
    this.#logger.v(2)?.info("Loaded the rules of network policies", { loaded });
  }

  async #fullBatch(table: PolicyTable): Promise<string> {
    return this.#work.run(fullBatchInSteps(table.table()));
  }

  /**
   * Halving would take a whole time limit for each half. What has changed last is the likely cause, or else the largest
   * policies: one of them at first, and twice as many after every further timeout.
   *
   * @throws the error if there is nothing to suspend
   */
  #suspendPending(table: PolicyTable, error: ProgramTimeoutError): void {
    const inEffect = table.policiesByWeight();
    const pending = inEffect.filter((key) => this.#pending.has(key));
    const suspects = pending.length > 0 ? pending : inEffect;
    if (suspects.length === 0) throw error;
    const policies = suspects.slice(0, 2 ** this.#timeouts++);
    table.suspend([...table.suspended, ...policies]);
    this.#logger.warn("Suspended network policies whose rules take too long to load", {
      policies,
      error: messageOf(error),
    });
  }

  /**
   * Policies that are suspended stay so.
   *
   * @throws the error if it is not because of policies
   * @throws ProgramTimeoutError when a check takes too long
   */
  async #suspendRejected(table: PolicyTable, error: unknown): Promise<void> {
    const suspended = [...table.suspended];
    const all = table.policyKeys.filter((key) => !table.suspended.has(key));
    const accepts = async (keys: readonly string[]): Promise<boolean> => {
      const tried = new Set(keys);
      table.suspend([...suspended, ...all.filter((key) => !tried.has(key))]);
      await this.#work.run(table.refresh());
      try {
        await this.#filter.check(await this.#fullBatch(table));
        return true;
      } catch (reason) {
        if (reason instanceof ProgramTimeoutError) throw reason;
        return false;
      }
    };
    let rejected: readonly string[] = [];
    try {
      if (!(await accepts([]))) throw error;
      rejected = await findRejected(all, accepts);
    } finally {
      table.suspend([...suspended, ...rejected]);
    }
    if (rejected.length > 0)
      this.#logger.warn("Suspended network policies that the packet filter rejects", { policies: rejected });
  }
}
