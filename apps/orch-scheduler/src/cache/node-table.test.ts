import { node, pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { tableOf } from "../testing/tables.ts";
import { NodeTable, PRESENT, UNSCHEDULABLE } from "./node-table.ts";
import type { PodClass } from "./pod-class.ts";
import { podInfo } from "./pod-info.ts";

const info = (builder: ReturnType<typeof pod>) => podInfo(builder.build());
const state = (table: NodeTable, name: string) => {
  const slot = table.slotOf(name) ?? -1;
  return { pods: table.podCount[slot], cpu: table.cpu.requested[slot], of: table.cpu.allocatable[slot] };
};

test("the numbers of a node are updated when the node changes", () => {
  const table = tableOf([node("a").capacity({ cpu: "2", memory: "1Gi", pods: "10", "example.com/gpu": "1" })]);
  const slot = table.slotOf("a") ?? -1;
  expect(state(table, "a")).toEqual({ pods: 0, cpu: 0, of: 2000 });
  expect(table.columns.get("example.com/gpu")?.allocatable[slot]).toBe(1);
  table.setNode(node("a").capacity({ cpu: "1500m" }).unschedulable().build());
  expect(state(table, "a")).toEqual({ pods: 0, cpu: 0, of: 1500 });
  expect([...table.columns.keys()]).toEqual(["cpu", "memory"]);
  expect(table.allowedPods[slot]).toBe(0);
  expect(table.flags[slot]).toBe(PRESENT | UNSCHEDULABLE);
  expect(table.size).toBe(1);
});

test("a pod is counted once, by its key, and its removal restores the counts", () => {
  const table = tableOf([node("a")]);
  table.addPod("a", info(pod("p").requests({ cpu: "1" })));
  table.addPod("a", info(pod("p").requests({ cpu: "2" })));
  table.addPod("a", info(pod("q").requests({ cpu: "100m" })));
  expect(state(table, "a")).toMatchObject({ pods: 2, cpu: 2100 });
  table.removePod("a", "default/p");
  table.removePod("a", "default/p");
  table.removePod("b", "default/q");
  expect(state(table, "a")).toMatchObject({ pods: 1, cpu: 100 });
  expect(table.podsOn("a").map(({ key }) => key)).toEqual(["default/q"]);
});

test("pods that arrive before their node are counted whenever the node appears", () => {
  const table = new NodeTable();
  table.addPod("a", info(pod("p").requests({ cpu: "1", "example.com/gpu": "1" }).hostPorts(80)));
  table.setNode(node("a").capacity({ cpu: "4", pods: "10", "example.com/gpu": "2" }).build());
  const slot = table.slotOf("a") ?? -1;
  expect(state(table, "a")).toEqual({ pods: 1, cpu: 1000, of: 4000 });
  expect(table.columns.get("example.com/gpu")?.requested[slot]).toBe(1);
  table.removeNode("a");
  table.removePod("a", "default/p");
  table.setNode(node("a").build());
  expect(state(table, "a")).toMatchObject({ pods: 0, cpu: 0 });
  expect(table.hasPortConflict(slot, [{ ip: "0.0.0.0", protocol: "TCP", port: 80 }])).toBe(false);
});

test("a freed slot has no counts of the node that had it before", () => {
  const table = tableOf([node("a").taint("k", "NoSchedule"), node("b")], [pod("p").on("a").requests({ cpu: "1" })]);
  const slot = table.slotOf("a");
  const query = { key: "all", namespaces: ["default"], labels: [], matches: () => true };
  expect(table.countPods(query).total).toBe(1);
  table.removeNode("a");
  expect(table.slotOf("a")).toBeUndefined();
  expect(table.countPods(query).total).toBe(0);
  expect(table.topology("orchernetes.io/hostname").domains[slot ?? -1]).toBe(0);
  table.setNode(node("c").capacity({ cpu: "1" }).build());
  expect(table.slotOf("c")).toBe(slot);
  expect(state(table, "c")).toEqual({ pods: 0, cpu: 0, of: 1000 });
  expect(table.taintSet[slot ?? -1]).toBe(0);
  expect(table.topology("orchernetes.io/hostname").domains[slot ?? -1]).not.toBe(0);
  expect(table.size).toBe(2);
  // The old node's pods wait for it to come back.
  table.setNode(node("a").build());
  expect(state(table, "a")).toMatchObject({ pods: 1, cpu: 1000 });
});

test("all values remain when the table grows", () => {
  const table = new NodeTable();
  const query = { key: "all", namespaces: ["default"], labels: [], matches: () => true };
  table.countPods(query);
  for (let i = 0; i < 300; i++) {
    table.setNode(
      node(`n${i}`)
        .capacity({ cpu: `${i + 1}`, pods: "10" })
        .taint(`k${i % 3}`, "NoSchedule")
        .build(),
    );
    table.addPod(`n${i}`, info(pod(`p${i}`).requests({ cpu: "1" })));
  }
  for (const i of [0, 63, 64, 65, 255, 299]) {
    expect(state(table, `n${i}`)).toEqual({ pods: 1, cpu: 1000, of: (i + 1) * 1000 });
    const slot = table.slotOf(`n${i}`) ?? -1;
    expect(table.taintSets.taints(table.taintSet[slot] ?? 0)).toMatchObject([{ key: `k${i % 3}` }]);
    expect(table.countPods(query).counts[slot]).toBe(1);
  }
  expect(table.taintSets.length).toBe(4);
});

test("only resources that some node offers have a column", () => {
  const table = tableOf([node("a")]);
  for (let i = 0; i < 100; i++) table.addPod("a", info(pod(`p${i}`).requests({ [`example.com/r${i}`]: "1" })));
  expect([...table.columns.keys()]).toEqual(["cpu", "memory"]);
  table.setNode(node("b").capacity({ "example.com/r7": "1" }).build());
  expect(table.columns.get("example.com/r7")?.requested[table.slotOf("a") ?? -1]).toBe(1);
});

test("a node that offers very many resources, and different ones each time, takes little memory, and its pods are read once", () => {
  const table = tableOf([node("a")], [pod("p").on("a").requests({ "example.com/r0-1": "3" })]);
  const usual = { cpu: "4", memory: "8Gi", pods: "110" };
  const offer = (round: number): void => {
    const many = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`example.com/r${round}-${i}`, "1"]));
    table.setNode(
      node("a")
        .capacity({ ...many, ...usual })
        .build(),
    );
  };
  for (let round = 3; round >= 0; round--) offer(round);
  expect(table.columns.size).toBeLessThan(300);
  expect(state(table, "a")).toMatchObject({ of: 4000, pods: 1 });
  expect(table.allowedPods[table.slotOf("a") ?? -1]).toBe(110);
  expect(table.columns.get("example.com/r0-1")?.requested[table.slotOf("a") ?? -1]).toBe(3);
  table.removeNode("a");
  expect([...table.columns.keys()]).toEqual(["cpu", "memory"]);
});

test("a resource keeps its column while another node offers it", () => {
  const gpu = { "example.com/gpu": "1" };
  const table = tableOf([node("a").capacity(gpu), node("b").capacity(gpu)]);
  table.setNode(node("a").capacity({ cpu: "1" }).build());
  table.setNode(node("a").capacity({ cpu: "2" }).build());
  expect(table.columns.get("example.com/gpu")?.allocatable[table.slotOf("b") ?? -1]).toBe(1);
  expect(table.columns.get("example.com/gpu")?.allocatable[table.slotOf("a") ?? -1]).toBe(0);
  table.removeNode("b");
  expect(table.columns.has("example.com/gpu")).toBe(false);
});

test("taints that are added and removed do not accumulate", () => {
  const table = new NodeTable();
  for (let i = 0; i < 1000; i++) table.setNode(node("a").taint("k", "NoSchedule", `v${i}`).build());
  expect(table.taintSets.length).toBeLessThan(5);
});

test.each([
  ["same port", 80, "TCP", "0.0.0.0", true],
  ["another port", 81, "TCP", "0.0.0.0", false],
  ["another protocol", 80, "UDP", "0.0.0.0", false],
  ["a port that ends alike", 180, "TCP", "0.0.0.0", false],
  ["one address of all", 80, "TCP", "10.0.0.1", true],
  ["the same single address", 90, "TCP", "10.0.0.1", true],
  ["another single address", 90, "TCP", "10.0.0.2", false],
  ["every address", 90, "TCP", "0.0.0.0", true],
])("host ports conflict: %s", (_, port, protocol, ip, want) => {
  const single = { name: "c", image: "i", ports: [{ containerPort: 90, hostPort: 90, hostIP: "10.0.0.1" }] };
  const table = tableOf([node("a")], [pod("p").on("a").hostPorts(80), pod("q").on("a").container(single)]);
  expect(table.hasPortConflict(0, [{ ip, protocol, port }])).toBe(want);
});

test("queries count only the pods of their namespaces, also after additions and removals", () => {
  const table = tableOf([node("a"), node("b")], [pod("p").on("a").labels({ app: "x" })]);
  const query = {
    key: "x",
    namespaces: ["default"],
    labels: [],
    matches: ({ labels }: PodClass) => labels?.app === "x",
  };
  expect([...table.countPods(query).counts.slice(0, 2)]).toEqual([1, 0]);
  table.addPod("b", info(pod("q").labels({ app: "x" })));
  table.addPod("b", info(pod("r").namespace("other").labels({ app: "x" })));
  table.addPod("b", info(pod("s").labels({ app: "y" })));
  expect([...table.countPods(query).counts.slice(0, 2)]).toEqual([1, 1]);
  table.addPod("a", info(pod("p").labels({ app: "y" })));
  expect(table.countPods(query)).toMatchObject({ total: 1 });
  // The oldest query is dropped, and computed again when it is requested again.
  for (let i = 0; i < 300; i++) table.countPods({ ...query, key: `k${i}` });
  table.removePod("b", "default/q");
  expect(table.countPods(query).total).toBe(0);
});
