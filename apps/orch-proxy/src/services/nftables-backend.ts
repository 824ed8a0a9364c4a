import { type Logger, messageOf } from "@orchernetes/kernel";
import { fullBatch, isEmptyDifference, renderDifference, type ServiceRules, type StaleFlows } from "@orchernetes/proxy";
import { deleteFlows } from "../host/connection-tracking.ts";
import type { ProxyMetrics } from "../metrics.ts";
import type { PacketFilter } from "../nft/packet-filter.ts";
import { TableLoader } from "../nft/table-loader.ts";
import type { ServiceBackend } from "./service-backend.ts";

/** Entries of connection tracking that wait for rules that could not be loaded; with more, the oldest expire by themselves. */
const MAX_WAITING = 10_000;

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
  const remove = options.deleteFlows ?? deleteFlows;
  const loader = new TableLoader(filter, { family: "inet", name: tableName });
  let waiting: readonly StaleFlows[] = [];
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
      waiting = [...waiting, ...staleFlows].slice(-MAX_WAITING);
      await load(rules, isEmptyDifference(difference) ? undefined : renderDifference(difference));
      const flows = waiting;
      waiting = [];
      // The rules are right all the same: only clients that go on sending from one port are kept where they were.
      await remove(flows).catch((error: unknown) =>
        logger.warn("Unable to delete entries of connection tracking: some UDP clients keep their former endpoints", {
          error: messageOf(error),
        }),
      );
    },
    close: async () => undefined,
  };
}
