import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { describeCluster } from "../src/shared-cluster.ts";
import { autoscalingSuite, beginAutoscaling } from "./suites/autoscaling.ts";
import { crashSuite } from "./suites/crash.ts";
import { limitsSuite } from "./suites/limits.ts";
import { namesSuite } from "./suites/names.ts";
import { nodeServerSuite } from "./suites/node-server.ts";
import { servicesSuite } from "./suites/services.ts";
import { volumesSuite } from "./suites/volumes.ts";
import { workloadSuite } from "./suites/workload.ts";

const options = { store: "embedded", runtime: "containerd", nodes: 2, metrics: true } as const;
describeCluster("two nodes", options, (shared) => {
  const scaling = beginAutoscaling(shared);
  workloadSuite(shared);
  servicesSuite(shared);
  namesSuite(shared);
  volumesSuite(shared);
  nodeServerSuite(shared);
  limitsSuite(shared);
  autoscalingSuite(shared, scaling);
  crashSuite(shared);

  test("down leaves no table and no interface", async () => {
    const { nodes } = JSON.parse(readFileSync(`${shared.cluster.dataDir}/cluster.json`, "utf8")) as {
      readonly nodes: readonly { readonly bridge: string }[];
    };
    const left = () =>
      [execFileSync("nft", ["list", "tables"]), execFileSync("ip", ["-o", "link"])]
        .join("\n")
        .split("\n")
        .filter((line) => nodes.some(({ bridge }) => line.includes(bridge)));
    expect(left().length).toBeGreaterThanOrEqual(2 * nodes.length);
    await shared.cluster.stop();
    expect(left()).toEqual([]);
  });
});
