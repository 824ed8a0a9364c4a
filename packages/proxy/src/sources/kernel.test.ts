import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fullBatch } from "../nft/batch.ts";
import { CurrentPolicyTable } from "../policy/testing/current-policy-table.ts";
import { type LabRequest, PolicyNetwork } from "../policy/testing/policy-network.ts";
import { noPacketFilter } from "../testing/packet-filter.ts";
import { sourceTable } from "./source-table.ts";

const addresses = ["10.0.0.2", "10.0.0.3"] as const;
const forgedAddress = "10.0.0.77";
const ports = [{ name: "v0", addresses: [addresses[0], "fd00::2"] }];

const missing = noPacketFilter();
describe.skipIf(missing !== undefined)(`sources in the kernel ${missing ?? ""}`, () => {
  let lab: PolicyNetwork;
  beforeAll(async () => {
    lab = await PolicyNetwork.start(
      addresses.map((address, i) => ({ bridge: 0, addresses: [address, `fd00::${i + 2}`] })),
      [80],
    );
  }, 30_000);
  afterAll(() => lab?.stop());

  const web = (to: string, from?: string): LabRequest => ({ protocol: "TCP", to, port: 80, ...(from && { from }) });

  test("a forged address is a way around policies until it is known where the pod is", async () => {
    const table = new CurrentPolicyTable({ nodeName: "n", tableName: "orch-policy" });
    table.setPod("red/isolated", {
      metadata: { name: "isolated", namespace: "red" },
      spec: { nodeName: "n", containers: [] },
      status: { phase: "Running", podIPs: [{ ip: addresses[0] }, { ip: "fd00::2" }] },
    });
    table.setPolicy("red/egress", {
      metadata: { name: "egress", namespace: "red" },
      spec: { podSelector: {}, policyTypes: ["Egress"] },
      status: {},
    });
    lab.load(fullBatch(table.table()));
    lab.addAddress(0, `${forgedAddress}/24`);
    lab.addAddress(0, "fd00::77/64");
    const own = [web("192.0.2.7", addresses[0]), web(addresses[1], addresses[0])];
    const forged = [web("192.0.2.7", forgedAddress), web(addresses[1], forgedAddress), web("fd00::3", "fd00::77")];
    expect(await lab.ask(0, 1_000, own)).toEqual([false, false]);
    expect(await lab.ask(0, 3_000, forged)).toEqual([true, true, true]);
    lab.load(fullBatch(sourceTable("orch-sources", ports)));
    expect(await lab.ask(0, 1_000, forged)).toEqual([false, false, false]);
    lab.load("delete table inet orch-policy");
  });

  test("what a pod sends with its own addresses passes, and other ports are left alone", async () => {
    lab.load(fullBatch(sourceTable("orch-sources", ports)));
    const all = [web("192.0.2.7"), web("10.0.0.1"), web(addresses[1]), web("fd00::3", "fd00::2")];
    expect(await lab.ask(0, 3_000, all)).toEqual([true, true, true, true]);
    expect(await lab.ask(1, 3_000, [web("192.0.2.7"), web(addresses[0])])).toEqual([true, true]);
    expect(await lab.ask("outside", 3_000, [web(addresses[0]), web("fd00::2")])).toEqual([true, true]);
    // The pod does not answer who asks for another address, once nobody remembers that it did.
    lab.forgetNeighbours();
    expect(await lab.ask("host", 1_000, [web(forgedAddress)])).toEqual([false]);
    lab.load("delete table bridge orch-sources");
    expect(await lab.ask("host", 5_000, [web(forgedAddress)])).toEqual([true]);
  });
});
