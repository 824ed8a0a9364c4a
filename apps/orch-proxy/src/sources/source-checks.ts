import { type Clock, type Logger, messageOf } from "@orchernetes/kernel";
import { changeBatch, fullBatch, type NftTable, sourceTable } from "@orchernetes/proxy";
import type { PacketFilter } from "../nft/packet-filter.ts";
import { TableLoader } from "../nft/table-loader.ts";
import type { CniResults } from "./cni-results.ts";

/** How often new pods are looked for, in milliseconds. */
const READ_MS = 1000;

/** How often it is looked whether the table is still there, and the pause after an error, in milliseconds. */
const CHECK_MS = 30_000;

/** What {@link SourceChecks} works with. */
export interface SourceChecksOptions {
  readonly filter: PacketFilter;
  readonly tableName: string;
  readonly results: Pick<CniResults, "read">;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Keeps a table that drops what pods send with addresses that are not their own. */
export class SourceChecks {
  readonly #options: SourceChecksOptions;
  readonly #loader: TableLoader;
  readonly #stopping = new AbortController();
  #loaded: NftTable | undefined;
  #checkedMs = Number.NEGATIVE_INFINITY;
  #running: Promise<void> = Promise.resolve();

  constructor(options: SourceChecksOptions) {
    this.#options = options;
    this.#loader = new TableLoader(options.filter, { family: "bridge", name: options.tableName });
  }

  /** Begins, if the kernel can do it; otherwise the log says that it cannot. */
  async start(): Promise<void> {
    const { filter, tableName, logger } = this.#options;
    try {
      await filter.check(fullBatch(sourceTable(tableName, [])));
    } catch (error) {
      return logger.warn("Pods can forge source addresses, because the packet filter cannot check them on bridges", {
        error: messageOf(error),
      });
    }
    this.#running = this.#follow();
  }

  /** Stops following; the table stays. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Reads once, and loads what has changed. @throws Error of the file system; ProgramError */
  async sync(): Promise<void> {
    const { results, tableName, clock } = this.#options;
    const table = sourceTable(tableName, await results.read());
    const change = this.#loaded && changeBatch(this.#loaded, table);
    const nowMs = clock.monotonicMs();
    if (this.#loaded !== undefined && change === undefined && nowMs - this.#checkedMs < CHECK_MS) return;
    this.#loaded = undefined;
    await this.#loader.sync({ full: () => fullBatch(table), change });
    this.#loaded = table;
    this.#checkedMs = nowMs;
  }

  async #follow(): Promise<void> {
    const { clock, logger } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      let pauseMs = READ_MS;
      try {
        await this.sync();
      } catch (error) {
        pauseMs = CHECK_MS;
        logger.error(error, "Unable to check the source addresses of pods", { retryMs: pauseMs });
      }
      await clock.sleep(pauseMs, signal).catch(() => undefined);
    }
  }
}
