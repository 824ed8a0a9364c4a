import { writeFile } from "node:fs/promises";
import { formatDuration, type OrchProxyConfiguration } from "@orchernetes/config";

/** The configuration as a document, with durations as texts. */
export function configurationDocument(config: OrchProxyConfiguration): object {
  const { iptables, ipvs, conntrack, clusterDNS, udpIdleTimeout, configSyncPeriod } = config;
  return {
    ...config,
    iptables: {
      ...iptables,
      syncPeriod: formatDuration(iptables.syncPeriod),
      minSyncPeriod: formatDuration(iptables.minSyncPeriod),
    },
    ipvs: {
      ...ipvs,
      syncPeriod: formatDuration(ipvs.syncPeriod),
      minSyncPeriod: formatDuration(ipvs.minSyncPeriod),
      tcpTimeout: formatDuration(ipvs.tcpTimeout),
      tcpFinTimeout: formatDuration(ipvs.tcpFinTimeout),
      udpTimeout: formatDuration(ipvs.udpTimeout),
    },
    conntrack: {
      ...conntrack,
      tcpEstablishedTimeout: formatDuration(conntrack.tcpEstablishedTimeout),
      tcpCloseWaitTimeout: formatDuration(conntrack.tcpCloseWaitTimeout),
    },
    clusterDNS: {
      ...clusterDNS,
      ttl: formatDuration(clusterDNS.ttl),
      cache: { ...clusterDNS.cache, maxTTL: formatDuration(clusterDNS.cache.maxTTL) },
    },
    udpIdleTimeout: formatDuration(udpIdleTimeout),
    configSyncPeriod: formatDuration(configSyncPeriod),
  };
}

/** Writes the effective configuration (`--write-config-to`). @throws Error when the file cannot be written */
export const writeConfiguration = (path: string, config: OrchProxyConfiguration): Promise<void> =>
  // JSON is YAML, too.
  writeFile(path, `${JSON.stringify(configurationDocument(config), null, 2)}\n`, { mode: 0o600 });
