import type { core } from "@orchernetes/api";
import type { ClusterCIDR } from "@orchernetes/api/networking/v1alpha1";
import type { Stored } from "@orchernetes/apimachinery";
import { createMetrics } from "@orchernetes/component";
import { expect, test } from "vitest";
import { cidrSetMetrics } from "../ranges/cidr-metrics.ts";
import { poolOf, poolsFor } from "./cluster-cidr-pool.ts";

type Selector = NonNullable<ClusterCIDR["spec"]["nodeSelector"]>;

const metrics = cidrSetMetrics(createMetrics(), "multicidrset");
const { metadata: stored } = {
  metadata: { uid: "u", resourceVersion: "1", creationTimestamp: "2024-01-01T00:00:00Z" },
};
function objectOf(name: string, spec: Partial<ClusterCIDR["spec"]>, metadata: object = {}): Stored<ClusterCIDR> {
  return { metadata: { name, ...stored, ...metadata }, spec: { perNodeHostBits: 8, ipv4: "", ipv6: "", ...spec } };
}
/** A term: all of these labels. */
const labels = (...keys: readonly string[]) => ({
  matchExpressions: keys.map((key) => ({ key, operator: "In" as const, values: ["x"] })),
});
const selector = (...nodeSelectorTerms: readonly ReturnType<typeof labels>[]): Selector => ({ nodeSelectorTerms });

function order(nodeLabels: readonly string[], ...objects: readonly Stored<ClusterCIDR>[]): readonly string[] {
  const metadata = { name: "n", ...stored, labels: Object.fromEntries(nodeLabels.map((key) => [key, "x"])) };
  const node = { metadata, spec: {}, status: {} } as Stored<core.Node>;
  const pools = objects.map((object) => poolOf(object, metrics));
  return poolsFor(node, pools).map(({ name }) => name);
}

test("of several pools that one is first whose selector has the most requirements, and those for all nodes are last", () => {
  const ipv4 = "10.0.0.0/16";
  const all = objectOf("all", { ipv4: "10.0.0.0/24" });
  const one = objectOf("one", { ipv4, nodeSelector: selector(labels("a")) });
  const two = objectOf("two", { ipv4, nodeSelector: selector(labels("a", "b")) });
  const either = objectOf("either", { ipv4, nodeSelector: selector(labels("z"), labels("a", "b", "c")) });
  const other = objectOf("other", { ipv4, nodeSelector: selector(labels("z")) });
  expect(order(["a", "b", "c"], all, one, two, either, other)).toEqual(["either", "two", "one", "all"]);
  expect(order([], all, one)).toEqual(["all"]);
});

test("then the fewest ranges, then the smallest ranges, then the texts decide", () => {
  const base = { nodeSelector: selector(labels("a")) };
  const few = objectOf("few", { ...base, ipv4: "10.0.0.0/20" });
  const fewOfBoth = objectOf("few of both", { ...base, ipv4: "10.0.0.0/16", ipv6: "fd00::/119" });
  const small = objectOf("small", { ...base, ipv4: "10.0.0.0/17", perNodeHostBits: 7 });
  const [large, later] = [
    objectOf("large", { ...base, ipv4: "10.0.0.0/16" }),
    objectOf("later", { ...base, ipv4: "10.1.0.0/16" }),
  ];
  const otherSelector = objectOf("other selector", { ipv4: "10.0.0.0/16", nodeSelector: selector(labels("b")) });
  expect(order(["a", "b"], later, otherSelector, large, small, few, fewOfBoth)).toEqual([
    "few of both",
    "few",
    "small",
    "large",
    "later",
    "other selector",
  ]);
});

test("an object that is being deleted, or was changed, gives nothing", () => {
  const isOpen = (metadata: object) => poolOf(objectOf("a", { ipv4: "10.0.0.0/16" }, metadata), metrics).isOpen;
  expect([isOpen({}), isOpen({ generation: 1 }), isOpen({ generation: 2 })]).toEqual([true, true, false]);
  expect(isOpen({ deletionTimestamp: "2024-01-01T00:00:00Z" })).toBe(false);
});

test.each([
  [{}, "no range; want one in ipv4, ipv6, or both"],
  [
    { ipv6: "fd00::/48" },
    "range fd00::/48 cannot be split into ranges with prefix /120: the prefixes of the range and of the ranges of nodes may differ by at most 16 bits",
  ],
])("an object with %j is not valid", (spec, message) => {
  expect(() => poolOf(objectOf("a", spec), metrics)).toThrow(new RangeError(message));
});
