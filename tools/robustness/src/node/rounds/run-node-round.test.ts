import { containerdUnavailable } from "@orchernetes/cri/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seededRandom } from "../../random.ts";
import { type NodeCluster, startNodeCluster } from "./node-cluster.ts";
import { runNodeRound } from "./run-node-round.ts";

const missing = await containerdUnavailable();
const reason = missing === undefined ? "" : ` (skipped: ${missing})`;

describe.skipIf(missing !== undefined)(`a node on a real containerd${reason}`, () => {
  let node: NodeCluster;
  beforeAll(async () => {
    node = await startNodeCluster("embedded");
  }, 300_000);
  afterAll(() => node?.stop(), 300_000);

  test("loses, doubles and leaves nothing while its agent and containerd are killed", {
    timeout: 600_000,
  }, async () => {
    const round = { node, name: "killed", fault: "killBoth", faultMs: 500, random: seededRandom(7) } as const;
    expect(await runNodeRound(round)).toEqual([]);
    expect(node.doubles.looks).toBeGreaterThan(10);
    expect(node.baseline.get("mount")?.length).toBeGreaterThan(10);
  });
});
