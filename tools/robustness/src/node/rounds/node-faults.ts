import { setTimeout as sleep } from "node:timers/promises";
import type { TestCluster } from "@orchernetes/testkit";

/** What is killed by SIGKILL, and started again after a while. */
export const nodeFaults = ["none", "killAgent", "killRuntime", "killBoth"] as const;
export type NodeFault = (typeof nodeFaults)[number];

const victims: Readonly<Record<NodeFault, readonly string[]>> = {
  none: [],
  killAgent: ["orchlet-node-1"],
  killRuntime: ["containerd-node-1"],
  killBoth: ["containerd-node-1", "orchlet-node-1"],
};

/** Whether the fault kills the runtime. */
export const killsRuntime = (fault: NodeFault): boolean => victims[fault].includes("containerd-node-1");

/** Kills, and starts what was killed again after the duration. Resolves when the node is healthy. @throws Error when it does not become so */
export async function injectNodeFault(fault: NodeFault, cluster: TestCluster, faultMs: number): Promise<void> {
  const names = victims[fault];
  if (names.length === 0) return;
  for (const name of names) cluster.kill9(name);
  await sleep(faultMs);
  await cluster.up();
}
