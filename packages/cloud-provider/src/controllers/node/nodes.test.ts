import type { core } from "@orchernetes/api";
import { node } from "@orchernetes/testkit";
import { describe, expect, test } from "vitest";
import { FakeCloud } from "../../testing/fake-cloud.ts";
import { decideNode } from "../node-lifecycle/decide-node.ts";
import { cloudMetadata } from "./cloud-metadata.ts";
import { SHUTDOWN_TAINT, UNINITIALIZED_TAINT } from "./cloud-taints.ts";
import { initializedNode, labelFixes } from "./initialize-node.ts";
import { nodeAddresses, preferProvidedIps } from "./node-addresses.ts";

const internal = (address: string): core.NodeAddress => ({ type: "InternalIP", address });
const external = (address: string): core.NodeAddress => ({ type: "ExternalIP", address });
const host = (address: string): core.NodeAddress => ({ type: "Hostname", address });
const provided = "alpha.orchernetes.io/provided-node-ip";
const context = () => ({ signal: new AbortController().signal, deadlineMs: Date.now() + 1000, clusterName: "c" });
const metadata = { providerID: "x://1", instanceType: "big", zone: "z", region: "r", addresses: [] };

describe("an initialized node", () => {
  const fresh = node("a")
    .taint(UNINITIALIZED_TAINT, "NoSchedule", "true")
    .taint("other", "NoExecute")
    .labels({ mine: "1" });

  test("has its provider ID and labels, and no taint of the cloud", () => {
    const { spec, metadata: meta } = initializedNode(fresh.build(), metadata);
    expect(spec).toEqual({ providerID: "x://1", taints: [{ key: "other", value: "", effect: "NoExecute" }] });
    expect(meta.labels).toMatchObject({
      mine: "1",
      "beta.orchernetes.io/instance-type": "big",
      "node.orchernetes.io/instance-type": "big",
      "failure-domain.beta.orchernetes.io/zone": "z",
      "topology.orchernetes.io/zone": "z",
      "topology.orchernetes.io/region": "r",
    });
  });

  test("keeps its own provider ID, and gets no label for what is unknown", () => {
    const own = fresh.spec({ providerID: "x://own" }).build();
    const made = initializedNode(own, { ...metadata, providerID: "x://2", instanceType: "", zone: "", region: "" });
    expect(made.spec?.providerID).toBe("x://own");
    expect(made.metadata.labels).toEqual(own.metadata.labels);
  });

  test("has the labels of today repaired from the deprecated ones", () => {
    const zones = { "failure-domain.beta.orchernetes.io/zone": "a", "topology.orchernetes.io/zone": "b" };
    const types = { "beta.orchernetes.io/instance-type": "big" };
    expect(
      labelFixes(
        node("a")
          .labels({ ...zones, ...types })
          .build(),
      ),
    ).toEqual({
      "topology.orchernetes.io/zone": "a",
      "node.orchernetes.io/instance-type": "big",
    });
    expect(labelFixes(node("a").build())).toBeUndefined();
  });
});

describe("addresses", () => {
  const cloud = [internal("10.0.0.1"), internal("10.0.0.2"), external("192.0.2.1"), host("cloud")];

  test("of the cloud with the node's own host name if the cloud has none; none leave the node as it is", () => {
    const own = node("a")
      .status({ addresses: [internal("1.1.1.1"), host("own")] })
      .build();
    expect(nodeAddresses(own, cloud.slice(0, 1), false)).toEqual({ addresses: [internal("10.0.0.1"), host("own")] });
    expect(nodeAddresses(own, cloud, false)).toEqual({ addresses: cloud });
    expect(nodeAddresses(own, [], false)).toBeUndefined();
  });

  test("begin with the one that the agent was given, and have no other of its type", () => {
    const given = (ips: string) =>
      node("a")
        .annotations({ [provided]: ips })
        .build();
    expect(preferProvidedIps(given("10.0.0.2"), cloud, false)).toEqual({
      addresses: [internal("10.0.0.2"), external("192.0.2.1"), host("cloud")],
    });
    expect(preferProvidedIps(given("10.0.0.9"), cloud, false)).toEqual({
      error: "failed to get node address from cloud provider that matches ip: 10.0.0.9",
    });
    expect(preferProvidedIps(given("nonsense"), cloud, false)).toMatchObject({
      error: 'failed to parse node IP "nonsense": want an IP address',
    });
    const both = [...cloud, internal("fd00::1")];
    expect(preferProvidedIps(given("10.0.0.2,fd00::1"), both, true)).toEqual({
      addresses: [internal("10.0.0.2"), internal("fd00::1"), external("192.0.2.1"), host("cloud")],
    });
    expect(preferProvidedIps(given("10.0.0.2,fd00::1"), both, false)).toHaveProperty("error");
    expect(preferProvidedIps(given("10.0.0.2,10.0.0.1"), both, true)).toHaveProperty("error");
  });
});

test("the zone comes from the part zones if the instances know none", async () => {
  const cloud = new FakeCloud().addMachine("a").addMachine("b", { zone: "own" });
  expect(await cloudMetadata(cloud, node("a").build(), context)).toMatchObject({
    value: { zone: "zone-0", region: "region-0" },
  });
  expect(await cloudMetadata(cloud, node("b").build(), context)).toMatchObject({ value: { zone: "own", region: "" } });
  expect(await cloudMetadata(cloud, node("c").build(), context)).toMatchObject({ error: { code: "NotFound" } });
  cloud.misbehave = (operation) =>
    operation === "zones.ofNode" ? { type: "fail", code: "Unavailable", message: "x" } : undefined;
  expect(await cloudMetadata(cloud, node("a").build(), context)).toMatchObject({
    error: { code: "Unavailable", message: "failed to get zone from cloud provider: x" },
  });
});

describe("the decision about a node", () => {
  const cloud = new FakeCloud().addMachine("a").addMachine("off", { isShutDown: true });
  const decision = async (built: ReturnType<ReturnType<typeof node>["build"]>) =>
    (await decideNode(built, cloud.instances, context)).type;
  const off = node("off").ready("Unknown");

  test("the cloud is not asked about ready ones", async () => {
    expect(await decision(node("gone").build())).toBe("keep");
    expect(await decision(node("off").taint(SHUTDOWN_TAINT, "NoSchedule").build())).toBe("untaint");
    expect(cloud.calls).toEqual([]);
  });

  test("others are kept, tainted if they are shut down, and deleted if they do not exist", async () => {
    expect(await decision(node("a").ready("False").build())).toBe("keep");
    expect(await decision(off.build())).toBe("taint");
    expect(await decision(off.taint(SHUTDOWN_TAINT, "NoSchedule").build())).toBe("keep");
    expect(await decision(node("gone").ready("Unknown").build())).toBe("delete");
  });

  test("an error of the cloud decides nothing", async () => {
    cloud.misbehave = () => ({ type: "fail", code: "Unavailable", message: "down" });
    await expect(decision(off.build())).rejects.toThrow("error checking if node off exists: down");
    cloud.misbehave = (operation) =>
      operation === "instances.isShutDown" ? { type: "fail", code: "NotImplemented", message: "" } : undefined;
    expect(await decision(off.build())).toBe("keep");
  });
});
