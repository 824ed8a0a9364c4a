import { availableParallelism } from "node:os";
import { ensureBridgeFilter } from "../host/bridge-filter.ts";
import { hostBuckets, raiseBuckets } from "../host/connection-buckets.ts";
import { Ipv6Routing } from "../host/ipv6-routing.ts";
import { hostParameters, setParameters } from "../host/kernel-parameters.ts";
import { connectionLimit, conntrackParameters, routesLoopback, routingParameters } from "../host/needed-parameters.ts";
import { localnetGuard } from "../nft/localnet-guard.ts";
import type { PacketFilter } from "../nft/packet-filter.ts";
import type { ProxyHost } from "../proxy-host.ts";
import { podCIDRs } from "./service-settings.ts";

/** Sets the kernel up for rules of services: at once for IPv4, and when the cluster begins to use it for IPv6. */
export async function prepareHost(host: ProxyHost, filter: PacketFilter): Promise<void> {
  const { config, informers, logger, nodeEvents } = host;
  const { settings } = config;
  const processors = availableParallelism();
  if (routesLoopback(settings)) await filter.load(localnetGuard(settings.nftables.tableName));
  await ensureBridgeFilter(hostParameters, logger);
  const needed = [...routingParameters(settings), ...conntrackParameters(settings, processors)];
  await setParameters(needed, hostParameters, logger);
  const limit = connectionLimit(settings, processors);
  if (limit !== undefined)
    await raiseBuckets(limit, hostBuckets, { logger, readOnly: () => nodeEvents.readOnlySysfs() });
  const ipv6 = new Ipv6Routing(hostParameters, logger);
  await ipv6.see([settings.clusterCIDR]);
  informers.node.addHandler({
    onAdd: (node) => void ipv6.see(podCIDRs(node)),
    onUpdate: (_, node) => void ipv6.see(podCIDRs(node)),
  });
  informers.services.addHandler({
    onAdd: ({ spec }) => void ipv6.see(spec.clusterIPs ?? []),
    onUpdate: (_, { spec }) => void ipv6.see(spec.clusterIPs ?? []),
  });
}
