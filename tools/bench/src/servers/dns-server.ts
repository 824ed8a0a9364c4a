/**
 * A DNS server for 1,000 services with 10 endpoints each, of which every tenth is headless. Prints its port.
 */
import { fileURLToPath } from "node:url";
import type { core, discovery } from "@orchernetes/api";
import { createDnsServer, createZone, SERVICE_NAME_LABEL } from "@orchernetes/dns";
import { silentLogger, systemClock } from "@orchernetes/kernel";

/** Path of this program. */
export const dnsServerFile = fileURLToPath(import.meta.url);

/** Names of the services, in namespace `bench`. */
export const dnsServices: readonly string[] = Array.from({ length: 1000 }, (_, i) => `service-${i}`);

const NAMESPACE = "bench";

function serviceOf(name: string, i: number): core.Service {
  const clusterIP = i % 10 === 0 ? "None" : `10.96.${1 + (i >> 8)}.${i & 255}`;
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: NAMESPACE },
    spec: { clusterIP, clusterIPs: [clusterIP], ports: [{ name: "http", port: 80, protocol: "TCP" }] },
    status: { loadBalancer: {} },
  };
}

function sliceOf(name: string, i: number): discovery.EndpointSlice {
  const addresses = Array.from({ length: 10 }, (_, n) => `10.64.${i >> 4}.${((i & 15) << 4) + n}`);
  return {
    apiVersion: "discovery.o8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name, namespace: NAMESPACE, labels: { [SERVICE_NAME_LABEL]: name } },
    addressType: "IPv4",
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
    ports: [{ name: "http", port: 8080, protocol: "TCP" }],
  };
}

function serve(): void {
  const services = new Map(dnsServices.map((name, i) => [name, serviceOf(name, i)]));
  const slices = new Map(dnsServices.map((name, i) => [name, [sliceOf(name, i)]]));
  const zone = createZone({
    domain: "cluster.local",
    addresses: [],
    objects: {
      hasSynced: () => true,
      hasNamespace: (name) => name === NAMESPACE,
      service: (namespace, name) => (namespace === NAMESPACE ? services.get(name) : undefined),
      endpointSlices: (_, name) => slices.get(name) ?? [],
      servicesAt: () => [],
      endpointSlicesAt: () => [],
      podsAt: () => [],
    },
    serial: () => 1,
  });
  const nothing = () => undefined;
  const server = createDnsServer({
    zone,
    listeners: [{ address: "127.0.0.1", port: 0 }],
    upstreams: [],
    clock: systemClock,
    logger: silentLogger,
    metrics: {
      received: nothing,
      answered: nothing,
      dropped: nothing,
      cacheHit: nothing,
      cacheMissed: nothing,
      forwarded: nothing,
      forwardFailed: nothing,
    },
  });
  void server.run(new AbortController().signal);
  const timer = setInterval(() => {
    const [serving] = server.serving;
    if (serving === undefined) return;
    clearInterval(timer);
    process.stdout.write(`${serving.port}\n`);
  }, 10);
}

if (process.argv[1] === dnsServerFile) serve();
