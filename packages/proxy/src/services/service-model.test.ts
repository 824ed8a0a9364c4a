import type { core } from "@orchernetes/api";
import { expect, test } from "vitest";
import type { TestEndpoint } from "../testing/endpoint-slice.ts";
import { interpretTable, type Outcome, type Packet } from "../testing/interpret-table.ts";
import { RandomServices } from "../testing/random-services.ts";
import { ServiceRules } from "./service-rules.ts";

/**
 * Random services and endpoints change one after the other. After each change, packets from everywhere to everything must be
 * treated as a plain reading of the objects says.
 */

const nodeAddress = "192.0.2.10";
const loadBalancers = ["203.0.113.1", "203.0.113.2"];
const externals = ["198.51.100.1", "203.0.113.1"];
const sources = [
  { address: "10.244.0.5", kind: "pod" },
  { address: nodeAddress, kind: "node" },
  { address: "172.16.0.9", kind: "outside" },
  { address: "172.17.0.9", kind: "outside" },
] as const;
type Source = (typeof sources)[number];

/** Decides from the objects alone. */
function expected({ services, endpoints, zone }: RandomServices, packet: Packet, from: Source["kind"]): Outcome {
  const found = findPort(services, packet);
  if (found === undefined) return nothing("untouched");
  const { object, port, kind } = found;
  const { spec, metadata } = object;
  const all = endpoints.get(metadata.name ?? "") ?? [];
  const target = ({ address }: TestEndpoint) => `${address} . ${port.targetPort}`;
  const isReady = ({ conditions }: TestEndpoint) => conditions?.ready ?? true;
  const isEnding = ({ conditions }: TestEndpoint) =>
    (conditions?.serving ?? true) && (conditions?.terminating ?? false);
  const choose = (list: readonly TestEndpoint[]) => (list.some(isReady) ? list.filter(isReady) : list.filter(isEnding));
  const usable = choose(all);
  if (usable.length === 0) return nothing("refused");
  const local = choose(all.filter(({ node }) => node === "n1"));
  const hasHints = metadata.annotations?.["service.orchernetes.io/topology-mode"] === "Auto" && usable.every(isReady);
  const near = usable.filter(({ zones }) => zones?.includes(zone));
  const useHints = hasHints && usable.every(({ zones }) => zones !== undefined) && near.length > 0;
  const cluster = useHints ? near : usable;
  const to = (list: readonly TestEndpoint[], isMasqueraded: boolean): Outcome =>
    list.length === 0
      ? nothing("dropped")
      : { verdict: "rewritten", endpoints: new Set(list.map(target)), isMasqueraded };
  if (kind === "clusterIP") return to(spec.internalTrafficPolicy === "Local" ? local : cluster, from !== "pod");
  if (kind === "loadBalancer" && !isAllowed(spec, packet.source)) return nothing("dropped");
  const isLocalPolicy =
    spec.externalTrafficPolicy === "Local" && (spec.type !== "ClusterIP" || (spec.externalIPs ?? []).length > 0);
  if (!isLocalPolicy) return to(cluster, true);
  if (from === "pod") return to(cluster, false);
  return from === "node" ? to(cluster, true) : to(local, false);
}

const nothing = (verdict: Outcome["verdict"]): Outcome => ({ verdict, endpoints: new Set(), isMasqueraded: false });

function isAllowed({ loadBalancerSourceRanges: ranges = [] }: core.ServiceSpec, source: string): boolean {
  return ranges.length === 0 || ranges.some((range) => source.startsWith(range.replace(/(\.0)+\/.*/, ".")));
}

/**
 * The service's port that an address and port belongs to: cluster addresses first, then load balancers', then external ones,
 * and of services that name the same one the oldest. Addresses of services and of the node are no other service's.
 */
function findPort(services: RandomServices["services"], { destination, protocol, port, isToNode }: Packet) {
  const age = ({ metadata }: core.Service) => `${metadata.creationTimestamp} ${metadata.name}`;
  const isServed = ({ metadata }: core.Service) =>
    metadata.labels?.["service.orchernetes.io/service-proxy-name"] === undefined;
  const sorted = [...services.values()].filter(isServed).sort((a, b) => (age(a) < age(b) ? -1 : 1));
  const clusterIPs = [...services.values()].map(({ spec }) => spec.clusterIP);
  const kinds = ["clusterIP", "loadBalancer", "externalIP", "nodePort"] as const;
  const isFree = (address: string | undefined) => !clusterIPs.includes(address);
  const addresses = ({ spec, status }: core.Service) => ({
    clusterIP: [spec.clusterIP],
    externalIP: (spec.externalIPs ?? []).filter((address) => isFree(address) && address !== nodeAddress),
    loadBalancer: (status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip).filter(isFree),
    nodePort: [],
  });
  for (const kind of kinds) {
    for (const object of sorted) {
      for (const candidate of object.spec.ports ?? []) {
        if (candidate.protocol?.toLowerCase() !== protocol) continue;
        const isHere = addresses(object)[kind].some((address) => address === destination) && candidate.port === port;
        const isNodePort = kind === "nodePort" && isToNode && candidate.nodePort === port;
        if (isHere || isNodePort) return { object, port: candidate, kind };
      }
    }
  }
  return undefined;
}

function* packets({
  clusterIPs,
}: RandomServices): Generator<{ readonly packet: Packet; readonly from: Source["kind"] }> {
  for (const { address, kind } of sources) {
    for (const protocol of ["tcp", "udp", "sctp"]) {
      const base = { source: address, protocol, isFromNode: kind === "node" };
      for (const destination of new Set([...clusterIPs, ...externals, ...loadBalancers])) {
        for (const port of [80, 81]) yield { packet: { ...base, destination, port, isToNode: false }, from: kind };
      }
      yield { packet: { ...base, destination: nodeAddress, port: 80, isToNode: true }, from: kind };
      for (let port = 30_000; port < 30_050; port++) {
        if (port % 10 < 2) yield { packet: { ...base, destination: nodeAddress, port, isToNode: true }, from: kind };
      }
    }
  }
}

test("after each of many random changes, every packet is treated as the objects say", () => {
  const world = new RandomServices(3);
  const detectLocal = { mode: "ClusterCIDR", ranges: ["10.244.0.0/16"] } as const;
  const rules = new ServiceRules(
    { nodeName: "n1", families: ["IPv4"], detectLocal },
    { zone: "a", addresses: [nodeAddress] },
  );
  const counts = { rewritten: 0, refused: 0, dropped: 0, untouched: 0 };
  for (let round = 0; round < 200; round++) {
    world.change(rules);
    rules.takeChange();
    const table = rules.table();
    for (const { packet, from } of packets(world)) {
      const got = interpretTable(table, packet);
      const want = expected(world, packet, from);
      counts[got.verdict]++;
      if (JSON.stringify(plain(got)) !== JSON.stringify(plain(want))) {
        expect({ round, packet, ...plain(got) }).toEqual({ round, packet, ...plain(want) });
      }
    }
  }
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(1000);
}, 30_000);

const plain = ({ verdict, endpoints, isMasqueraded }: Outcome) => ({
  verdict,
  endpoints: [...endpoints].sort(),
  isMasqueraded,
});
