import { systemEventLoop } from "@orchernetes/kernel";
import { PolicyTable, removeBatch } from "@orchernetes/proxy";
import type { Mode } from "../nft/choose-mode.ts";
import type { PacketFilter } from "../nft/packet-filter.ts";
import { sourcesTable } from "../nft/remove-tables.ts";
import type { ProxyHost } from "../proxy-host.ts";
import { CniResults } from "../sources/cni-results.ts";
import { SourceChecks } from "../sources/source-checks.ts";
import { policyInformers } from "./policy-informers.ts";
import { PolicyLoader } from "./policy-loader.ts";
import { policyMetrics } from "./policy-metrics.ts";
import { PolicySync } from "./policy-sync.ts";

/** Policies that are being enforced, or are not. */
export interface RunningPolicies {
  /** Stops following the cluster; what is enforced stays so. */
  stop(): Promise<void>;
}

/**
 * Enforces the network policies of the cluster for the pods of this node, with a table of their own beside that of the
 * services, and a further one that keeps pods from sending with addresses of others. Disabled, removes the tables that a former process
 * has left.
 */
export async function startPolicies(host: ProxyHost, mode: Mode, filter: PacketFilter): Promise<RunningPolicies> {
  const { config, client, logger, metrics } = host;
  const { enableNetworkPolicy, nftables, detectLocal } = config.settings;
  const tableName = `${nftables.tableName}-policy`;
  if (mode !== "nftables") {
    if (enableNetworkPolicy)
      logger.info("Network policies are not enforced, because they need mode nftables", { mode });
    return { stop: async () => undefined };
  }
  if (!enableNetworkPolicy) {
    await filter.load(removeBatch({ family: "inet", name: tableName }));
    await removeIfThere(filter, sourcesTable(nftables.tableName));
    return { stop: async () => undefined };
  }
  const bridges = [...(nftables.onlyNode?.podInterfaces ?? []), detectLocal.bridgeInterface].filter(
    (name) => name !== "",
  );
  const table = new PolicyTable({ nodeName: config.nodeName, tableName, bridges });
  const sync = new PolicySync({
    host,
    periods: config.settings.iptables,
    table,
    informers: policyInformers(client, logger),
    loader: new PolicyLoader({ filter, tableName, loop: systemEventLoop, logger }),
    loop: systemEventLoop,
    metrics: policyMetrics(metrics, table),
  });
  sync.follow();
  const sources = await startSourceChecks(host, filter, bridges);
  return { stop: async () => void (await Promise.all([sync.stop(), sources?.stop()])) };
}

/** Policies know senders by their addresses, which pods with raw sockets could forge. Undefined if that is not to be checked. */
async function startSourceChecks(
  { config, clock, logger }: ProxyHost,
  filter: PacketFilter,
  bridges: readonly string[],
): Promise<SourceChecks | undefined> {
  const { tableName: prefix, cniResults } = config.settings.nftables;
  const tableName = sourcesTable(prefix);
  if (cniResults === "" || bridges.length === 0) {
    await removeIfThere(filter, tableName);
    return undefined;
  }
  const checks = new SourceChecks({ filter, tableName, results: new CniResults(cniResults, bridges), clock, logger });
  await checks.start();
  return checks;
}

/** Not every kernel knows tables of bridges, so one that is not there is not mentioned to it. */
async function removeIfThere(filter: PacketFilter, name: string): Promise<void> {
  const table = { family: "bridge", name } as const;
  if (await filter.has(table)) await filter.load(removeBatch(table));
}
