import type { Logger } from "@orchernetes/kernel";
import { fullBatch, isEmptyDifference, renderDifference, type ServiceRules, type StaleFlows } from "@orchernetes/proxy";
import { FlowRemover } from "../host/flow-remover.ts";
import { StaleFlowSet } from "../host/stale-flow-set.ts";
import type { ProxyMetrics } from "../metrics.ts";
import type { PacketFilter } from "../nft/packet-filter.ts";
import { TableLoader } from "../nft/table-loader.ts";
import type { ServiceBackend } from "./service-backend.ts";

/** The options of {@link nftablesBackend}. */
export interface NftablesOptions {
  readonly filter: PacketFilter;
  readonly tableName: string;
  readonly metrics: ProxyMetrics;
  readonly logger: Logger;
  /** @default the program `conntrack` */
  readonly deleteFlows?: (flows: readonly StaleFlows[]) => Promise<void>;
}

/** Serves services by rules of the packet filter. */
export function nftablesBackend(options: NftablesOptions): ServiceBackend {
  const { filter, tableName, metrics, logger } = options;
  const remover = new FlowRemover({ logger, deleteFlows: options.deleteFlows });
  const loader = new TableLoader(filter, { family: "inet", name: tableName });
  /** Entries that wait for rules that could not be loaded. */
  const waiting = new StaleFlowSet();
  const load = async (rules: ServiceRules, change: string | undefined): Promise<void> => {
    const wasLoaded = loader.isLoaded;
    try {
      const loaded = await loader.sync({ full: () => fullBatch(rules.table()), change });
      logger.v(2)?.info("Loaded the rules of services", { loaded });
      if (wasLoaded && loaded === "full")
        logger.warn("The table of services was gone, and is there again", { tableName });
    } catch (error) {
      (wasLoaded ? metrics.changeFailures : metrics.loadFailures).inc();
      throw error;
    }
  };
  return {
    mode: "nftables",
    async apply(rules, { difference, staleFlows }) {
      waiting.add(staleFlows);
      await load(rules, isEmptyDifference(difference) ? undefined : renderDifference(difference));
      remover.add(waiting.take());
    },
    close: () => remover.close(),
  };
}
