import { parseCidr } from "@orchernetes/apimachinery";
import { createDnsServer, createZone, type DnsServer } from "@orchernetes/dns";
import type { Mode } from "../nft/choose-mode.ts";
import type { ProxyHost } from "../proxy-host.ts";
import { loopbackAddressOf } from "../userspace/loopback-address.ts";
import { dnsClients } from "./dns-clients.ts";
import { addDnsAddress } from "./dns-interface.ts";
import { dnsMetrics } from "./dns-metrics.ts";
import { followUpstreams, readUpstreams } from "./host-resolvers.ts";
import { informedObjects } from "./informed-objects.ts";

/** The name of this part of the daemon in its health and its log. */
const PART = "dns";

/** Milliseconds between two checks of the addresses: another daemon of this host that stops may remove them while they are served. */
const INTERFACE_MS = 5000;

/**
 * Serves the names of the cluster, if the configuration has addresses for that, until the host's signal aborts. In user space the
 * names of services have the loopback addresses at which the services are served.
 *
 * @returns a function that resolves when the server has stopped
 */
export async function startDns(host: ProxyHost, mode: Mode): Promise<() => Promise<void>> {
  const { config, clock, client, informers, metrics, signal } = host;
  const settings = config.settings.clusterDNS;
  if (settings.addresses.length === 0) return async () => undefined;
  const logger = host.logger.child({ part: PART });
  const { objects, run } = informedObjects(client, informers, {
    podNames: settings.podNames,
    logger,
    ...(mode === "userspace" && { servedAt: loopbackAddressOf }),
  });
  const admits = dnsClients({ settings: config.settings, clock, logger });
  let server: DnsServer | undefined;
  const upstreams = await readUpstreams(settings);
  const prepare =
    settings.interface === ""
      ? undefined
      : (address: string) => addDnsAddress(settings.interface, address, settings.addresses);
  const running = createDnsServer({
    zone: createZone({
      domain: settings.domain,
      ttlSeconds: Math.round(settings.ttl / 1000),
      addresses: settings.addresses,
      podNames: settings.podNames,
      reverseRanges: settings.reverseRanges.map(parseCidr).filter((range) => range !== undefined),
      objects,
      serial: () => Math.floor(clock.nowMs() / 1000),
    }),
    listeners: settings.addresses.map((address) => ({ address, port: settings.port })),
    upstreams,
    limits: {
      maxConcurrentForwards: settings.maxConcurrentForwards,
      cacheBytes: settings.cache.maxBytes,
      cacheEntries: settings.cache.maxEntries,
      cacheSeconds: Math.round(settings.cache.maxTTL / 1000),
    },
    clock,
    logger,
    metrics: dnsMetrics(metrics, () => server),
    ...(prepare === undefined ? {} : { prepare }),
    ...(admits === undefined ? {} : { admits }),
    // If another daemon of this host has the address, names are served, too.
    onState: ({ isServing, isTaken }) => (isServing || isTaken ? host.health.updated(PART) : host.health.queued(PART)),
  });
  server = running;
  run(signal);
  const ended = Promise.all([
    running.run(signal),
    followUpstreams(settings, upstreams, {
      changed: (changed) => running.setUpstreams(changed),
      clock,
      logger,
      signal,
    }),
    prepare === undefined ? undefined : keepAddresses(host, prepare),
  ]);
  return () => ended.then(() => undefined);
}

/** Adds the addresses again if they have been removed. */
async function keepAddresses(
  { config, clock, signal }: ProxyHost,
  prepare: (address: string) => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(INTERFACE_MS, signal).catch(() => undefined);
    if (signal.aborted) return;
    // A server that cannot be bound logs why; here the same error would only be repeated.
    for (const address of config.settings.clusterDNS.addresses) await prepare(address).catch(() => undefined);
  }
}
