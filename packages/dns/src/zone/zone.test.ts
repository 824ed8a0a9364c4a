import { parseCidr } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import { ObjectSet } from "../testing/object-set.ts";
import type { PodNames } from "./found-name.ts";
import { createZone } from "./zone.ts";

const http = { name: "http", port: 80, protocol: "TCP" } as const;
const dns = { name: "dns", port: 53, protocol: "UDP" } as const;

function zoneOf(objects: ObjectSet, podNames: PodNames = "insecure") {
  const ranges = ["10.96.0.0/12", "fd00:96::/108"].map((text) => parseCidr(text));
  return createZone({
    domain: "cluster.local",
    ttlSeconds: 5,
    addresses: ["10.96.0.10"],
    podNames,
    reverseRanges: ranges.filter((range) => range !== undefined),
    objects,
    serial: () => 7,
  });
}

/** The records of an answer as `TYPE data`, `NODATA`, or the kind of another answer. */
function lookUp(objects: ObjectSet, name: string, type = "A", podNames: PodNames = "insecure"): unknown {
  const answer = zoneOf(objects, podNames).lookUp(name, type);
  if (answer.kind === "alias") return `alias ${answer.target}`;
  if (answer.kind !== "records") return answer.kind;
  if (answer.answers.length === 0) return "NODATA";
  return answer.answers.map((record) => {
    if (!("data" in record)) return record.type;
    const data = typeof record.data === "string" ? record.data : JSON.stringify(record.data);
    return `${record.type} ${data}`;
  });
}

const cluster = () =>
  new ObjectSet()
    .addService("web", { clusterIP: "10.96.1.1", clusterIPs: ["10.96.1.1", "fd00:96::11"], ports: [http, dns] })
    .addService("db", { clusterIP: "None", clusterIPs: ["None"], ports: [http] })
    .addSlice("db", [
      { addresses: ["10.1.0.1"], hostname: "db-0", conditions: { ready: true } },
      { addresses: ["10.1.0.2"] },
      { addresses: ["10.1.0.3"], conditions: { ready: false } },
      { addresses: ["fd00::3"], hostname: "db-6" },
    ]);

test("a service has its cluster IPs of both families", () => {
  expect(lookUp(cluster(), "web.default.svc.cluster.local")).toEqual(["A 10.96.1.1"]);
  expect(lookUp(cluster(), "web.default.svc.cluster.local", "AAAA")).toEqual(["AAAA fd00:96::11"]);
  expect(lookUp(cluster(), "web.default.svc.cluster.local", "MX")).toBe("NODATA");
  const single = new ObjectSet().addService("one", { clusterIP: "10.96.1.2", ports: [http] });
  expect(lookUp(single, "one.default.svc.cluster.local", "AAAA")).toBe("NODATA");
  const pending = new ObjectSet().addService("one", { ports: [http] });
  expect(lookUp(pending, "one.default.svc.cluster.local")).toBe("NODATA");
});

test("a named port has an SRV record whose target is the service", () => {
  const answer = zoneOf(cluster()).lookUp("_http._tcp.web.default.svc.cluster.local", "SRV");
  expect(answer).toMatchObject({
    answers: [{ ttl: 5, data: { priority: 0, weight: 100, port: 80, target: "web.default.svc.cluster.local" } }],
    additionals: [
      { type: "A", name: "web.default.svc.cluster.local", data: "10.96.1.1" },
      { type: "AAAA", name: "web.default.svc.cluster.local", data: "fd00:96::11" },
    ],
  });
  expect(lookUp(cluster(), "_http._udp.web.default.svc.cluster.local", "SRV")).toBe("noSuchName");
  expect(lookUp(cluster(), "_http._tcp.web.default.svc.cluster.local", "A")).toBe("NODATA");
  expect(lookUp(cluster(), "_tcp.web.default.svc.cluster.local", "SRV")).toBe("NODATA");
  expect(lookUp(cluster(), "_sctp.web.default.svc.cluster.local", "SRV")).toBe("noSuchName");
  expect(lookUp(cluster(), "web.default.svc.cluster.local", "SRV")).toEqual([
    'SRV {"priority":0,"weight":50,"target":"web.default.svc.cluster.local","port":80}',
    'SRV {"priority":0,"weight":50,"target":"web.default.svc.cluster.local","port":53}',
  ]);
});

test("ports of slices with numbers that no port has are left out", () => {
  const ports = [-1, 0, 1.5, 65_536, 2 ** 31, 65_535].map((port) => ({ name: "http", protocol: "TCP" as const, port }));
  const objects = new ObjectSet()
    .addService("db", { clusterIP: "None", clusterIPs: ["None"] })
    .addSlice("db", [{ addresses: ["10.1.0.1"], hostname: "db-0" }], ports);
  for (const name of ["_http._tcp.db", "db", "db-0.db"]) {
    expect(lookUp(objects, `${name}.default.svc.cluster.local`, "SRV")).toEqual([
      'SRV {"priority":0,"weight":100,"target":"db-0.db.default.svc.cluster.local","port":65535}',
    ]);
  }
});

test("an answer is made of as many records as a message can hold, and of ports only if it has them", () => {
  let read = 0;
  const ports = Array.from({ length: 5000 }, (_, i) => ({
    name: `p${i}`,
    protocol: "TCP" as const,
    get port() {
      read++;
      return i + 1;
    },
  }));
  const endpoints = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ addresses: [`10.1.${i >> 8}.${i & 255}`] }));
  const objects = new ObjectSet()
    .addService("db", { clusterIP: "None", clusterIPs: ["None"] })
    .addSlice("db", endpoints(100), ports)
    .addService("large", { clusterIP: "None", clusterIPs: ["None"] })
    .addSlice("large", endpoints(5000));
  const name = "db.default.svc.cluster.local";
  expect(lookUp(objects, name)).toHaveLength(100);
  expect(lookUp(objects, `10-1-0-7.${name}`)).toEqual(["A 10.1.0.7"]);
  expect(read).toBe(0);
  expect(lookUp(objects, name, "SRV")).toHaveLength(4096);
  expect(lookUp(objects, `_p7._tcp.${name}`, "SRV")).toHaveLength(100);
  expect(lookUp(objects, `_p5000._udp.${name}`, "SRV")).toBe("noSuchName");
  // Every slice's ports are read a few times for a question, and not for each of its endpoints.
  expect(read).toBeLessThan(50_000);
  expect(lookUp(objects, "large.default.svc.cluster.local")).toHaveLength(4096);
});

test("unnamed ports have no name of their own", () => {
  const objects = new ObjectSet().addService("web", { clusterIP: "10.96.1.1", ports: [{ port: 80 }] });
  expect(lookUp(objects, "_._tcp.web.default.svc.cluster.local", "SRV")).toBe("noSuchName");
  expect(lookUp(objects, "_tcp.web.default.svc.cluster.local", "SRV")).toBe("NODATA");
});

test("a headless service has the addresses of its ready endpoints, and a name for each of them", () => {
  const objects = cluster();
  expect(lookUp(objects, "db.default.svc.cluster.local")).toEqual(["A 10.1.0.1", "A 10.1.0.2"]);
  expect(lookUp(objects, "db.default.svc.cluster.local", "AAAA")).toEqual(["AAAA fd00::3"]);
  expect(lookUp(objects, "db-0.db.default.svc.cluster.local")).toEqual(["A 10.1.0.1"]);
  expect(lookUp(objects, "db-0.db.default.svc.cluster.local", "AAAA")).toBe("NODATA");
  expect(lookUp(objects, "10-1-0-2.db.default.svc.cluster.local")).toEqual(["A 10.1.0.2"]);
  expect(lookUp(objects, "10-1-0-3.db.default.svc.cluster.local")).toBe("noSuchName");
  expect(lookUp(objects, "x.db-0.db.default.svc.cluster.local")).toBe("noSuchName");
  expect(lookUp(objects, "_http._tcp.db.default.svc.cluster.local", "SRV")).toEqual([
    'SRV {"priority":0,"weight":33,"target":"db-0.db.default.svc.cluster.local","port":8080}',
    'SRV {"priority":0,"weight":33,"target":"10-1-0-2.db.default.svc.cluster.local","port":8080}',
    'SRV {"priority":0,"weight":33,"target":"db-6.db.default.svc.cluster.local","port":8080}',
  ]);
});

test("endpoints of a service with a cluster IP have names, too", () => {
  const objects = cluster().addSlice("web", [{ addresses: ["10.1.0.9"] }]);
  expect(lookUp(objects, "10-1-0-9.web.default.svc.cluster.local")).toEqual(["A 10.1.0.9"]);
});

test("endpoints that are not ready are published if the service wants it", () => {
  const objects = new ObjectSet()
    .addService("db", { clusterIP: "None", clusterIPs: ["None"], publishNotReadyAddresses: true })
    .addSlice("db", [{ addresses: ["10.1.0.3"], conditions: { ready: false } }]);
  expect(lookUp(objects, "db.default.svc.cluster.local")).toEqual(["A 10.1.0.3"]);
});

test("a headless service without endpoints has no name, and one without ports has addresses alone", () => {
  const none = new ObjectSet().addService("db", { clusterIP: "None", clusterIPs: ["None"] });
  expect(lookUp(none, "db.default.svc.cluster.local")).toBe("noSuchName");
  const portless = none.addSlice("db", [{ addresses: ["10.1.0.3"] }], []);
  expect(lookUp(portless, "db.default.svc.cluster.local")).toEqual(["A 10.1.0.3"]);
  expect(lookUp(portless, "db.default.svc.cluster.local", "SRV")).toBe("NODATA");
});

test("an external name is an alias for every type, unless it is an address or no message can carry it", () => {
  const name = "ext.default.svc.cluster.local";
  const external = (externalName: string) => new ObjectSet().addService("ext", { type: "ExternalName", externalName });
  expect(lookUp(external("Example.COM."), name)).toBe("alias example.com");
  expect(lookUp(external("example.com"), name, "TXT")).toBe("alias example.com");
  expect(lookUp(external("example.com"), name, "CNAME")).toEqual(["CNAME example.com"]);
  expect(lookUp(external("example.com"), `_http._tcp.${name}`, "SRV")).toBe("noSuchName");
  expect(lookUp(external("192.0.2.1"), name)).toBe("noSuchName");
  expect(lookUp(external(`${"a".repeat(64)}.com`), name)).toBe("noSuchName");
});

test("names of pods are those of addresses; verified ones belong to a pod of the namespace", () => {
  const objects = cluster();
  objects.pods.push({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "default" },
    spec: { containers: [] },
    status: { podIP: "10.1.0.1" },
  });
  expect(lookUp(objects, "10-1-0-1.default.pod.cluster.local")).toEqual(["A 10.1.0.1"]);
  expect(lookUp(objects, "10-1-0-7.default.pod.cluster.local")).toEqual(["A 10.1.0.7"]);
  expect(lookUp(objects, "fd00--7.default.pod.cluster.local", "AAAA")).toEqual(["AAAA fd00:0:0:0:0:0:0:7"]);
  expect(lookUp(objects, "fd00--7.default.pod.cluster.local")).toBe("NODATA");
  expect(lookUp(objects, "10-1-0-1.other.pod.cluster.local")).toBe("noSuchName");
  expect(lookUp(objects, "10-1-0-256.default.pod.cluster.local")).toBe("noSuchName");
  expect(lookUp(objects, "p.default.pod.cluster.local")).toBe("noSuchName");
  expect(lookUp(objects, "10-1-0-1.default.pod.cluster.local", "A", "verified")).toEqual(["A 10.1.0.1"]);
  expect(lookUp(objects, "10-1-0-7.default.pod.cluster.local", "A", "verified")).toBe("noSuchName");
  expect(lookUp(objects, "10-1-0-1.default.pod.cluster.local", "A", "disabled")).toBe("noSuchName");
});

test("a name with names below it exists without records; others do not exist", () => {
  const objects = cluster();
  for (const name of ["cluster.local", "svc.cluster.local", "pod.cluster.local", "default.svc.cluster.local"]) {
    expect(lookUp(objects, name), name).toBe("NODATA");
  }
  for (const name of ["x.svc.cluster.local", "x.default.svc.cluster.local", "x.cluster.local", "x.pod.cluster.local"]) {
    expect(lookUp(objects, name), name).toBe("noSuchName");
  }
  expect(lookUp(objects, "example.com")).toBe("outside");
  expect(lookUp(objects, "xcluster.local")).toBe("outside");
});

test("the zone names its version, its server and itself", () => {
  const objects = cluster();
  expect(lookUp(objects, "dns-version.cluster.local", "TXT")).toEqual(["TXT 1.1.0"]);
  expect(lookUp(objects, "dns-version.cluster.local")).toBe("NODATA");
  expect(lookUp(objects, "cluster.local", "NS")).toEqual(["NS ns.dns.cluster.local"]);
  expect(lookUp(objects, "ns.dns.cluster.local")).toEqual(["A 10.96.0.10"]);
  expect(lookUp(objects, "ns.dns.cluster.local", "AAAA")).toBe("NODATA");
  expect(lookUp(objects, "cluster.local", "SOA")).toEqual([
    'SOA {"mname":"ns.dns.cluster.local","rname":"hostmaster.cluster.local","serial":7,"refresh":7200,"retry":1800,"expire":86400,"minimum":5}',
  ]);
  expect(lookUp(objects, "web.default.svc.cluster.local", "ANY")).toEqual(['HINFO {"cpu":"RFC8482","os":""}']);
  expect(lookUp(objects, "x.default.svc.cluster.local", "ANY")).toBe("noSuchName");
});

test("before all objects have been read, a name is not said to be absent, but what is known is answered", () => {
  const objects = cluster();
  objects.synced = false;
  expect(lookUp(objects, "x.default.svc.cluster.local")).toBe("unsynced");
  expect(lookUp(objects, "1.2.96.10.in-addr.arpa", "PTR")).toBe("unsynced");
  expect(lookUp(objects, "web.default.svc.cluster.local")).toEqual(["A 10.96.1.1"]);
});

test("addresses of services and endpoints have names; other addresses of the cluster's ranges have none", () => {
  const objects = cluster();
  expect(lookUp(objects, "1.1.96.10.in-addr.arpa", "PTR")).toEqual(["PTR web.default.svc.cluster.local"]);
  expect(lookUp(objects, "1.1.96.10.in-addr.arpa", "A")).toBe("NODATA");
  expect(lookUp(objects, "1.0.1.10.in-addr.arpa", "PTR")).toEqual(["PTR db-0.db.default.svc.cluster.local"]);
  expect(lookUp(objects, "2.0.1.10.in-addr.arpa", "PTR")).toEqual(["PTR 10-1-0-2.db.default.svc.cluster.local"]);
  expect(lookUp(objects, "3.0.1.10.in-addr.arpa", "PTR")).toBe("outside");
  expect(lookUp(objects, "9.9.111.10.in-addr.arpa", "PTR")).toBe("noSuchName");
  expect(lookUp(objects, "9.9.112.10.in-addr.arpa", "PTR")).toBe("outside");
  expect(lookUp(objects, "9.111.10.in-addr.arpa", "PTR")).toBe("NODATA");
  expect(lookUp(objects, "10.in-addr.arpa", "PTR")).toBe("outside");
  const six = `1.1${".0".repeat(22)}.6.9.0.0.0.0.d.f.ip6.arpa`;
  expect(lookUp(objects, six, "PTR")).toEqual(["PTR web.default.svc.cluster.local"]);
  const other = `1.2${".0".repeat(22)}.6.9.0.0.0.0.d.f.ip6.arpa`;
  expect(lookUp(objects, other, "PTR")).toBe("noSuchName");
});

test("the SOA record of a reverse name is above the name and in the range", () => {
  const answer = zoneOf(cluster()).lookUp("9.9.111.10.in-addr.arpa", "PTR");
  expect(answer).toMatchObject({ soa: { name: "111.10.in-addr.arpa", ttl: 5 } });
});
