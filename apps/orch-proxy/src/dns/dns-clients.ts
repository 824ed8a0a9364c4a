import { networkInterfaces } from "node:os";
import type { OrchProxyConfiguration } from "@orchernetes/config";
import type { Clock, Logger } from "@orchernetes/kernel";
import { inRanges } from "../host/address-ranges.ts";

/** How long the addresses of this host are cached, in milliseconds: each packet of a client outside of the ranges needs them. */
const ADDRESSES_MS = 5000;
/** Time between two log lines about clients without answers, in milliseconds. */
const REPORT_MS = 60_000;

/** What the test is made from. */
export interface DnsClientsOptions {
  readonly settings: Pick<OrchProxyConfiguration, "clusterCIDR" | "clusterDNS">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** @default those of the host */
  readonly interfaces?: typeof networkInterfaces;
}

/**
 * Makes a test whether a client gets answers: pods, by `clusterDNS.clients` or else by `clusterCIDR`, and the host itself. The addresses
 * of cluster DNS are the host's own, but other hosts of its network may send packets to them, too. Undefined if it is not known which
 * addresses pods have: everyone gets answers then.
 */
export function dnsClients({
  settings: { clusterCIDR, clusterDNS },
  clock,
  logger,
  interfaces = networkInterfaces,
}: DnsClientsOptions): ((address: string) => boolean) | undefined {
  const pods =
    clusterDNS.clients.length > 0 ? clusterDNS.clients : clusterCIDR.split(",").filter((range) => range !== "");
  if (pods.length === 0) {
    logger.info("DNS queries of all clients are answered, because neither clusterDNS.clients nor clusterCIDR is set");
    return undefined;
  }
  const isPod = inRanges([...pods, "127.0.0.0/8", "::1/128", ...clusterDNS.addresses]);
  let own = new Set<string>();
  let readAtMs = Number.NEGATIVE_INFINITY;
  let reportedAtMs = Number.NEGATIVE_INFINITY;
  return (address) => {
    if (isPod(address)) return true;
    const nowMs = clock.monotonicMs();
    if (nowMs - readAtMs >= ADDRESSES_MS) {
      own = new Set(Object.values(interfaces()).flatMap((all = []) => all.map((one) => one.address)));
      readAtMs = nowMs;
    }
    if (own.has(address)) return true;
    if (nowMs - reportedAtMs >= REPORT_MS) {
      reportedAtMs = nowMs;
      logger.warn("Dropped a DNS query of a client that is neither a pod nor this host; see clusterDNS.clients", {
        client: address,
        pods,
      });
    }
    return false;
  };
}
