import { type Logger, messageOf } from "@orchernetes/kernel";
import { fullBatch, isEmptyDifference, type PolicyTable, renderDifference } from "@orchernetes/proxy";
import type { PacketFilter } from "../nft/packet-filter.ts";
import { TableLoader } from "../nft/table-loader.ts";
import { findRejected } from "./find-rejected.ts";

/**
 * Loads a table of policies into the packet filter. A policy because of which the packet filter rejects the table is
 * suspended: the pods that it selects are isolated and it allows nothing, while all others hold.
 */
export class PolicyLoader {
  readonly #filter: PacketFilter;
  readonly #loader: TableLoader;
  readonly #logger: Logger;

  constructor(filter: PacketFilter, tableName: string, logger: Logger) {
    this.#filter = filter;
    this.#loader = new TableLoader(filter, { family: "inet", name: tableName });
    this.#logger = logger;
  }

  /**
   * Loads what has changed since the last call, or everything if that is not in the packet filter.
   *
   * @throws ProgramError when the packet filter accepts not even a table without policies
   */
  async load(table: PolicyTable): Promise<void> {
    try {
      return await this.#sync(table);
    } catch (error) {
      this.#logger.warn("The rules of network policies were rejected", { error: messageOf(error) });
    }
    try {
      // The change may have been wrong for what is there: another program may have changed it.
      await this.#sync(table);
    } catch (error) {
      await this.#suspendRejected(table, error);
      await this.#sync(table);
    }
  }

  async #sync(table: PolicyTable): Promise<void> {
    const difference = table.takeDifference();
    const change = isEmptyDifference(difference) ? undefined : renderDifference(difference);
    const loaded = await this.#loader.sync({ full: () => fullBatch(table.table()), change });
    this.#logger.v(2)?.info("Loaded the rules of network policies", { loaded });
  }

  /** @throws the error if it is not because of policies */
  async #suspendRejected(table: PolicyTable, error: unknown): Promise<void> {
    const all = table.policyKeys;
    const accepts = (keys: readonly string[]): Promise<boolean> => {
      const tried = new Set(keys);
      table.suspend(all.filter((key) => !tried.has(key)));
      return this.#filter.check(fullBatch(table.table())).then(
        () => true,
        () => false,
      );
    };
    if (!(await accepts([]))) {
      table.suspend([]);
      throw error;
    }
    const rejected = await findRejected(all, accepts);
    table.suspend(rejected);
    if (rejected.length > 0)
      this.#logger.warn("Suspended network policies that the packet filter rejects", { policies: rejected });
  }
}
