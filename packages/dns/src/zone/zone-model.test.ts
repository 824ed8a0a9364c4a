import { seededNumbers } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import { ObjectSet } from "../testing/object-set.ts";
import { createZone } from "./zone.ts";

/** A service of the model: what the specification says about it, without the shapes of objects. */
interface ModelService {
  readonly name: string;
  readonly namespace: string;
  readonly clusterIP: string | undefined;
  readonly publishesAll: boolean;
  readonly ports: readonly { readonly name: string; readonly port: number; readonly protocol: "TCP" | "UDP" }[];
  readonly endpoints: readonly {
    readonly address: string;
    readonly hostname: string | undefined;
    readonly ready: boolean;
  }[];
}

const NAMESPACES = ["a", "b"];
const NAMES = ["web", "db", "x"];
const HOSTS = [undefined, "h-0", "h-1"];

function randomServices(below: (n: number) => number): readonly ModelService[] {
  const services: ModelService[] = [];
  for (const namespace of NAMESPACES) {
    for (const name of NAMES) {
      if (below(4) === 0) continue;
      const ports = [
        { name: "http", port: 80, protocol: "TCP" },
        { name: "dns", port: 53, protocol: "UDP" },
        { name: "", port: 1, protocol: "TCP" },
      ] as const;
      services.push({
        name,
        namespace,
        clusterIP: below(2) === 0 ? undefined : `10.96.${services.length}.1`,
        publishesAll: below(3) === 0,
        ports: ports.filter(() => below(2) === 0),
        endpoints: Array.from({ length: below(4) }, (_, i) => ({
          address: `10.1.${services.length}.${i}`,
          hostname: HOSTS[below(HOSTS.length)],
          ready: below(3) > 0,
        })),
      });
    }
  }
  return services;
}

function objectsOf(services: readonly ModelService[]): ObjectSet {
  const objects = new ObjectSet();
  for (const { namespace, name, clusterIP = "None", publishesAll, ports, endpoints } of services) {
    const key = `${namespace}/${name}`;
    objects.addService(key, {
      clusterIP,
      clusterIPs: [clusterIP],
      publishNotReadyAddresses: publishesAll,
      ports: ports.map((port) => ({ ...port })),
    });
    // Two slices, as after many changes.
    for (const part of [0, 1]) {
      const own = endpoints.filter((_, i) => i % 2 === part);
      const slice = own.map(({ address, hostname, ready }) => ({
        addresses: [address],
        conditions: { ready },
        ...(hostname === undefined ? {} : { hostname }),
      }));
      objects.addSlice(key, slice, ports);
    }
  }
  return objects;
}

/** All names and A and SRV records of the specification, by enumeration: `NAME TYPE` to the sorted data. */
function expectedRecords(services: readonly ModelService[]): ReadonlyMap<string, readonly string[]> {
  const records = new Map<string, Set<string>>();
  const add = (name: string, type: string, data: string) => {
    const key = `${name} ${type}`;
    records.set(key, (records.get(key) ?? new Set()).add(data));
  };
  for (const { name, namespace, clusterIP, publishesAll, ports, endpoints } of services) {
    const base = `${name}.${namespace}.svc.cluster.local`;
    const named = ports.filter((port) => port.name !== "");
    const portName = (port: { name: string; protocol: string }) =>
      `_${port.name}._${port.protocol.toLowerCase()}.${base}`;
    if (clusterIP !== undefined) {
      add(base, "A", clusterIP);
      for (const port of named) add(portName(port), "SRV", `${port.port} ${base}`);
    }
    for (const { address, hostname, ready } of endpoints) {
      if (!ready && !publishesAll) continue;
      const own = `${hostname ?? address.replaceAll(".", "-")}.${base}`;
      add(own, "A", address);
      if (clusterIP !== undefined) continue;
      add(base, "A", address);
      for (const port of named) add(portName(port), "SRV", `${port.port} ${own}`);
    }
  }
  return new Map([...records].map(([key, data]) => [key, [...data].sort()]));
}

test("random services have exactly the records that the specification enumerates", () => {
  const below = seededNumbers(3);
  for (let round = 0; round < 200; round++) {
    const services = randomServices(below);
    const zone = createZone({ domain: "cluster.local", addresses: [], objects: objectsOf(services), serial: () => 1 });
    const expected = expectedRecords(services);
    const names = new Set<string>();
    for (const name of NAMES) {
      for (const namespace of [...NAMESPACES, "c"]) {
        const base = `${name}.${namespace}.svc.cluster.local`;
        const below = ["h-0", "h-1", "_http._tcp", "_dns._udp", "_http._udp", "_._tcp", "x.y"];
        for (const prefix of ["", ...below.map((label) => `${label}.`)]) names.add(`${prefix}${base}`);
        for (const { endpoints } of services)
          for (const { address } of endpoints) names.add(`${address.replaceAll(".", "-")}.${base}`);
      }
    }
    for (const key of expected.keys()) names.add(key.split(" ")[0] ?? "");
    for (const name of names) {
      const asA = zone.lookUp(name, "A");
      const addresses =
        asA.kind === "records" ? asA.answers.map((record) => ("data" in record ? String(record.data) : "")) : [];
      expect(addresses.sort(), `${round} ${name} A`).toEqual(expected.get(`${name} A`) ?? []);
      if (!name.startsWith("_")) continue;
      const asSrv = zone.lookUp(name, "SRV");
      const ports =
        asSrv.kind === "records"
          ? asSrv.answers.map((record) => (record.type === "SRV" ? `${record.data.port} ${record.data.target}` : ""))
          : [];
      expect(ports.sort(), `${round} ${name} SRV`).toEqual(expected.get(`${name} SRV`) ?? []);
      // A name without records of its own does not exist.
      if (!expected.has(`${name} A`) && !expected.has(`${name} SRV`)) expect(asSrv.kind).toBe("noSuchName");
    }
  }
});
