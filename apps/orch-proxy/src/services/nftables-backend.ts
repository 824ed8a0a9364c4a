import type { Clock, Logger } from "@orchernetes/kernel";
import {
  type FoundElements,
  type FoundTable,
  fullBatch,
  isDynamic,
  isEmptyDifference,
  isSlotMap,
  type NftTable,
  reloadBatch,
  renderDifference,
  type ServiceRules,
  type StaleFlows,
} from "@orchernetes/proxy";
import { FlowRemover } from "../host/flow-remover.ts";
import { ProgramTimeoutError } from "../host/run-program.ts";
import { StaleFlowSet } from "../host/stale-flow-set.ts";
import type { ProxyMetrics } from "../metrics.ts";
import type { PacketFilter } from "../nft/packet-filter.ts";
import { TableLoader } from "../nft/table-loader.ts";
import { AffinityGrowth } from "./affinity-growth.ts";
import type { ServiceBackend } from "./service-backend.ts";

/** The options of {@link nftablesBackend}. */
export interface NftablesOptions {
  readonly filter: PacketFilter;
  readonly tableName: string;
  /** Whether only what differs is loaded; otherwise the whole table, with every change. @default true */
  readonly loadsChanges?: boolean;
  readonly clock: Clock;
  readonly metrics: ProxyMetrics;
  readonly logger: Logger;
  /** @default the program `conntrack` */
  readonly deleteFlows?: (flows: readonly StaleFlows[]) => Promise<void>;
}

/** Serves services by rules of the packet filter. */
export function nftablesBackend(options: NftablesOptions): ServiceBackend {
  const { filter, tableName, loadsChanges = true, metrics, logger } = options;
  const remover = new FlowRemover({ logger, deleteFlows: options.deleteFlows });
  const loader = new TableLoader(filter, { family: "inet", name: tableName });
  /** Entries that wait for rules that could not be loaded. */
  const waiting = new StaleFlowSet();
  const growth = new AffinityGrowth(options.clock);
  const load = async (rules: ServiceRules, change: string | undefined): Promise<void> => {
    const wasLoaded = loader.isLoaded;
    try {
      const loaded = await loader.sync({
        full: () => fullBatch(rules.table()),
        reload: (found) => reloadWithClients(rules.table(), found),
        change,
      });
      logger.v(2)?.info("Loaded the rules of services", { loaded });
      if (wasLoaded && loaded === "full")
        logger.warn("Restored the table of services, which another program had removed", { tableName });
      if (growth.loaded(rules)) logger.info("Restored session affinity for a part of the services", { tableName });
    } catch (error) {
      // The same rules would take too long again, and nothing would change any more.
      if (error instanceof ProgramTimeoutError && rules.reduceAffinity()) {
        growth.reduced();
        logger.warn("The rules of services took too long to load, so some services lose session affinity", {
          tableName,
        });
      }
      (wasLoaded ? metrics.changeFailures : metrics.loadFailures).inc();
      throw error;
    }
  };
  return {
    mode: "nftables",
    async apply(rules, { difference, staleFlows }) {
      waiting.add(staleFlows);
      if (!loadsChanges && !isEmptyDifference(difference)) loader.forget();
      await load(rules, isEmptyDifference(difference) ? undefined : renderDifference(difference));
      remover.add(waiting.take());
    },
    close: () => remover.close(),
  };
}

/** The batch that keeps the clients of services with affinity, if there are any. */
const reloadWithClients = (table: NftTable, found: FoundTable): string | undefined => {
  const known = new Set(found.sets.map(({ name }) => name));
  return table.sets.some((set) => isDynamic(set) && known.has(set.name)) ? reloadBatch(table, found) : undefined;
};

/**
 * The slots of endpoints of services with affinity in the table of a former process, by map; empty if there is none, or it cannot be
 * read.
 */
export async function formerSlots(
  filter: Pick<PacketFilter, "content" | "elements">,
  tableName: string,
): Promise<ReadonlyMap<string, FoundElements>> {
  const table = { family: "inet", name: tableName };
  const slots = new Map<string, FoundElements>();
  try {
    const { sets } = await filter.content(table);
    for (const { name } of sets.filter((set) => isSlotMap(set.name)))
      slots.set(name, await filter.elements(table, name));
  } catch {
    // Clients get new endpoints then.
    return new Map();
  }
  return slots;
}
