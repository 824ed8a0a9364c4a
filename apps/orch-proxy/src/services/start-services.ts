import { availableParallelism } from "node:os";
import type { core } from "@orchernetes/api";
import type { OrchProxyConfiguration } from "@orchernetes/config";
import { ServiceRules } from "@orchernetes/proxy";
import { ServiceHealth } from "../health/service-health.ts";
import { ensureBridgeFilter } from "../host/bridge-filter.ts";
import { hostParameters, setParameters } from "../host/kernel-parameters.ts";
import { localAddressesIn } from "../host/local-addresses.ts";
import { conntrackParameters, routesLoopback, routingParameters } from "../host/needed-parameters.ts";
import type { Mode } from "../nft/choose-mode.ts";
import { localnetGuard } from "../nft/localnet-guard.ts";
import type { PacketFilter } from "../nft/packet-filter.ts";
import type { ProxyHost } from "../proxy-host.ts";
import { measureRules } from "./measure-rules.ts";
import { nftablesBackend } from "./nftables-backend.ts";
import type { ServiceBackend } from "./service-backend.ts";
import { needsNode, nodeFactsOf, podCIDRs, serviceSettings } from "./service-settings.ts";
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
  if (mode === "nftables") {
    if (routesLoopback(settings)) await filter.load(localnetGuard(settings.nftables.tableName));
    await ensureBridgeFilter(hostParameters, logger);
    const needed = [...routingParameters(settings), ...conntrackParameters(settings, availableParallelism())];
    await setParameters(needed, hostParameters, logger);
  }
  const node = needsNode(settings) ? await nodeWithPodCIDRs(host) : undefined;
  const rules = new ServiceRules(serviceSettings(settings, nodeName, node, hasIPv6), nodeFactsOf(node));
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

/** Where the health of services is served: undefined for all addresses, which is what no ranges stand for. */
function healthAddresses({ nftables, nodePortAddresses }: OrchProxyConfiguration): readonly string[] | undefined {
  if (nftables.onlyNode !== undefined) return nftables.onlyNode.addresses;
  return nodePortAddresses.length === 0 ? undefined : localAddressesIn(nodePortAddresses);
}

function backendOf(host: ProxyHost, mode: Mode, filter: PacketFilter): ServiceBackend {
  const { config, clock, logger, proxyMetrics: metrics } = host;
  const { nftables, nodePortAddresses, udpIdleTimeout } = config.settings;
  if (mode === "nftables") return nftablesBackend({ filter, tableName: nftables.tableName, metrics, logger });
  const isEnabled = nftables.onlyNode?.hostTraffic ?? true;
  return userspaceBackend({
    ...{ clock, logger, isEnabled, udpIdleMs: udpIdleTimeout },
    nodePortAddresses: nodePortAddresses.length === 0 ? ["127.0.0.1"] : localAddressesIn(nodePortAddresses),
  });
}

/** Waits until the node has ranges for its pods, from which their traffic is recognized. */
async function nodeWithPodCIDRs({ informers, signal, logger }: ProxyHost): Promise<core.Node> {
  const found = Promise.withResolvers<core.Node>();
  const look = (node: core.Node) => {
    if (podCIDRs(node).length > 0) found.resolve(node);
    else logger.info("Waiting for podCIDR of the node, for detectLocalMode NodeCIDR");
  };
  const remove = informers.node.addHandler({ onAdd: look, onUpdate: (_, node) => look(node) });
  const onAbort = () => found.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await found.promise;
  } finally {
    remove();
    signal.removeEventListener("abort", onAbort);
  }
}
