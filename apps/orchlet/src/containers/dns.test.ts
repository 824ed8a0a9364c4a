import { expect, test } from "vitest";
import { testPod } from "../testing/pods.ts";
import { type DnsConfig, type DnsSettings, dnsConfigOf } from "./dns.ts";

const host = "nameserver 192.0.2.1\nsearch corp.example lan.\noptions timeout:1 rotate\n";
const node: DnsSettings = { resolvConf: host, clusterDNS: ["10.0.0.10"], clusterDomain: "cluster.local" };
const clusterSearches = ["team.svc.cluster.local", "svc.cluster.local", "cluster.local"];
const ofHost = { servers: ["192.0.2.1"], searches: ["corp.example", "lan"], options: ["timeout:1", "rotate"] };
const ofCluster = {
  servers: ["10.0.0.10"],
  searches: [...clusterSearches, "corp.example", "lan"],
  options: ["ndots:5"],
};

function resolve(
  spec: object,
  settings: Partial<DnsSettings> = {},
): { readonly config: DnsConfig | undefined; readonly warnings: readonly string[] } {
  const warnings: string[] = [];
  const pod = testPod(spec, { namespace: "team" });
  const config = dnsConfigOf(pod, { ...node, ...settings }, (reason, message) =>
    warnings.push(`${reason}: ${message}`),
  );
  return { config, warnings };
}

// shows: clusterDNS, clusterDomain
test.each([
  ["ClusterFirst asks the cluster", { dnsPolicy: "ClusterFirst" }, {}, ofCluster],
  ["no policy is ClusterFirst", {}, {}, ofCluster],
  ["ClusterFirst on the host's network asks the host's servers", { hostNetwork: true }, {}, ofHost],
  [
    "ClusterFirstWithHostNet on the host's network asks the cluster",
    { dnsPolicy: "ClusterFirstWithHostNet", hostNetwork: true },
    {},
    ofCluster,
  ],
  ["Default is the host's configuration", { dnsPolicy: "Default" }, {}, ofHost],
  ["ClusterFirst without a cluster server is Default", {}, { clusterDNS: [] }, ofHost],
  [
    "without a cluster domain only the host's domains are searched",
    {},
    { clusterDomain: "" },
    { ...ofCluster, searches: ["corp.example", "lan"] },
  ],
  [
    "a domain that the host and the cluster share is searched once",
    {},
    { resolvConf: "search cluster.local lan" },
    { ...ofCluster, searches: [...clusterSearches, "lan"] },
  ],
  [
    "None is only what the pod says",
    { dnsPolicy: "None", dnsConfig: { nameservers: ["192.0.2.9"] } },
    {},
    { servers: ["192.0.2.9"], searches: [], options: [] },
  ],
  [
    "without a resolver file Default resolves nothing, instead of what the runtime finds on the host",
    { dnsPolicy: "Default" },
    { resolvConf: "" },
    { servers: ["127.0.0.1"], searches: ["."], options: [] },
  ],
  [
    "without a resolver file ClusterFirst searches only the cluster",
    {},
    { resolvConf: "" },
    { ...ofCluster, searches: clusterSearches },
  ],
])("%s", (_, spec, settings, want) => {
  expect(resolve(spec, settings)).toEqual({ config: want, warnings: [] });
});

test("a pod's own settings come after those of its policy, and options of the same name are replaced", () => {
  const dnsConfig = {
    nameservers: ["192.0.2.9", "10.0.0.10"],
    searches: ["own.example", "svc.cluster.local"],
    options: [{ name: "ndots", value: "2" }, { name: "edns0" }],
  };
  expect(resolve({ dnsConfig }).config).toEqual({
    servers: ["10.0.0.10", "192.0.2.9"],
    searches: [...ofCluster.searches, "own.example"],
    options: ["ndots:2", "edns0"],
  });
});

// shows: resolvConf
test.each([
  [
    "comments are skipped",
    "# nameserver 192.0.2.1\n; nameserver 192.0.2.2\nnameserver 192.0.2.3 # near",
    ["192.0.2.3"],
    [],
  ],
  ["the last search line counts", "search a.example b.example\nsearch c.example", [], ["c.example"]],
  ["an empty search line empties the list", "search a.example\nsearch", [], []],
  ["the root domain is kept", "search . a.example.", [], [".", "a.example"]],
  [
    "tabs and carriage returns are blanks",
    "\tnameserver\t192.0.2.3 \r\nsearch\ta.example\r",
    ["192.0.2.3"],
    ["a.example"],
  ],
  ["a line without a value says nothing", "nameserver\noptions\nsortlist 192.0.2.0", [], []],
])("a resolver file: %s", (_, resolvConf, servers, searches) => {
  expect(resolve({ dnsPolicy: "Default" }, { resolvConf }).config).toEqual({ servers, searches, options: [] });
});

test("if there are more than three name servers, the first three are used, with a warning", () => {
  const nameservers = ["192.0.2.1", "192.0.2.2", "192.0.2.3"];
  expect(resolve({ dnsPolicy: "None", dnsConfig: { nameservers } }).warnings).toEqual([]);
  const more = { dnsPolicy: "None", dnsConfig: { nameservers: [...nameservers, "192.0.2.4"] } };
  expect(resolve(more)).toEqual({
    config: { servers: nameservers, searches: [], options: [] },
    warnings: [
      "DNSConfigForming: Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: 192.0.2.1 192.0.2.2 192.0.2.3",
    ],
  });
});

const searched = (searches: readonly string[]) => {
  const { config, warnings } = resolve({ dnsPolicy: "Default" }, { resolvConf: `search ${searches.join(" ")}` });
  return { searches: config?.searches, warned: warnings.length };
};

test("if there are more than 32 search domains, the first 32 are used, with a warning", () => {
  const domains = Array.from({ length: 33 }, (_, n) => `d${n}`);
  expect(searched(domains.slice(0, 32))).toEqual({ searches: domains.slice(0, 32), warned: 0 });
  expect(searched(domains)).toEqual({ searches: domains.slice(0, 32), warned: 1 });
});

test("search domains may have 2048 characters with their separators, but not one more", () => {
  // Sixteen domains of 127 characters and fifteen separators are 2047 characters.
  const domains = Array.from({ length: 16 }, (_, n) => String.fromCharCode(97 + n).repeat(127));
  const longer = [`${domains[0]}x`, ...domains.slice(1)];
  const tooLong = [`${domains[0]}xx`, ...domains.slice(1)];
  expect(searched(longer)).toEqual({ searches: longer, warned: 0 });
  expect(searched(tooLong)).toEqual({ searches: tooLong.slice(0, 15), warned: 1 });
});

test("a search domain that is longer than a name may be is omitted, because it can crash resolvers", () => {
  const long = "x".repeat(253);
  expect(searched([long, "a.example"])).toEqual({ searches: [long, "a.example"], warned: 0 });
  expect(searched([`${long}x`, "a.example"])).toEqual({ searches: ["a.example"], warned: 1 });
});
