import { ServiceRules } from "@orchernetes/proxy";
import { healthAddresses } from "../health/health-addresses.ts";
import { ServiceHealth } from "../health/service-health.ts";
import { hostParameters } from "../host/kernel-parameters.ts";
import { localAddressesIn } from "../host/local-addresses.ts";
import type { Mode } from "../nft/choose-mode.ts";
import type { PacketFilter } from "../nft/packet-filter.ts";
import type { ProxyHost } from "../proxy-host.ts";
import { measureRules } from "./measure-rules.ts";
import { formerSlots, nftablesBackend } from "./nftables-backend.ts";
import { endOnOtherPodCIDRs, nodeWithPodCIDRs } from "./pod-ranges.ts";
import { prepareHost } from "./prepare-host.ts";
import type { ServiceBackend } from "./service-backend.ts";
import { needsNode, nodeFactsOf, serviceSettings } from "./service-settings.ts";
import { ServiceSync } from "./service-sync.ts";
import { userspaceBackend } from "./userspace-backend.ts";

/** Services that are being served. */
export interface RunningServices {
  /** Stops; rules of the packet filter stay. */
  stop(): Promise<void>;
}

/**
 * Serves services in the given mode. Resolves when the informers have what is needed for the first synchronization, so they
 * must be running, or be run meanwhile.
 *
 * @throws the reason of the host's signal when it aborts first
 */
export async function startServices(host: ProxyHost, mode: Mode, filter: PacketFilter): Promise<RunningServices> {
  const { config, logger, events, health, metrics } = host;
  const { settings, nodeName } = config;
  const hasIPv6 = (await hostParameters.read("net/ipv6/conf/all/forwarding")) !== undefined;
  if (mode === "nftables") await prepareHost(host, filter);
  const node = needsNode(settings) ? await nodeWithPodCIDRs(host) : undefined;
  if (node !== undefined) endOnOtherPodCIDRs(host, node);
  const rules = new ServiceRules(serviceSettings(config, node, hasIPv6), nodeFactsOf(node));
  if (mode === "nftables") rules.adopt(await formerSlots(filter, settings.nftables.tableName));
  measureRules(metrics, rules, mode);
  const serviceHealth = new ServiceHealth({
    nodeName,
    addresses: () => healthAddresses(settings),
    isProxyHealthy: () => health.isHealthy(),
    events,
    logger,
  });
  const sync = new ServiceSync(host, rules, backendOf(host, mode, filter), serviceHealth);
  await sync.follow();
  return sync;
}

function backendOf(host: ProxyHost, mode: Mode, filter: PacketFilter): ServiceBackend {
  const { config, clock, logger, proxyMetrics: metrics } = host;
  const { clusterCIDR, nftables, nodePortAddresses, udpIdleTimeout } = config.settings;
  const loadsChanges = config.gates.enabled("MinimizeIPTablesRestore");
  if (mode === "nftables")
    return nftablesBackend({ filter, tableName: nftables.tableName, loadsChanges, clock, metrics, logger });
  const isEnabled = nftables.onlyNode?.hostTraffic ?? true;
  return userspaceBackend({
    ...{ clock, logger, isEnabled, clusterCIDR, udpIdleMs: udpIdleTimeout },
    nodePortAddresses: nodePortAddresses.length === 0 ? ["127.0.0.1"] : localAddressesIn(nodePortAddresses),
  });
}
