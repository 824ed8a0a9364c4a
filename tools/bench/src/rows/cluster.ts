import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { startCluster } from "@orchernetes/testkit";
import type { Row } from "../row.ts";
import { proportionalMb, residentMb } from "../servers/memory.ts";

/** What a start needs is released within a minute: the engine collects in steps, and gives pages back half a minute later. */
const IDLE_MS = 90_000;

/** The daemons of a cluster of one node beside the API server, by the measure of each. */
const DAEMONS = {
  "cluster-scheduler": "orch-scheduler",
  "cluster-controller-manager": "orch-controller-manager",
  "cluster-orchlet": "orchlet-node-1",
} as const;

/** Memory of an idle cluster of one node, whose daemons run from the bundles of `npm run build`. */
export const cluster: Row = {
  id: "cluster",
  idle: true,
  unavailable: existsSync("/usr/bin/containerd") ? undefined : "containerd is not installed",
  measures: [
    { id: "cluster-memory", work: "idle cluster of one node with its containerd, resident", unit: "MB", atMost: 420 },
    { id: "cluster-apiserver", work: "… its API server", unit: "MB" },
    { id: "cluster-scheduler", work: "… its scheduler", unit: "MB", atMost: 75 },
    { id: "cluster-controller-manager", work: "… its controller manager", unit: "MB", atMost: 75 },
    { id: "cluster-orchlet", work: "… its node agent", unit: "MB", atMost: 75 },
  ],
  async run({ quick, defer, note }) {
    const running = await startCluster({ from: "bundle", runtime: "containerd" });
    defer(() => running.stop());
    await sleep(quick ? 5000 : IDLE_MS);
    const pids = running.processes().map((name) => running.pid(name));
    const sum = (measure: (pid: number) => number): number => pids.reduce((total, pid) => total + measure(pid), 0);
    const shares = sum(proportionalMb);
    note(`sum of resident memory; ${shares.toFixed(0)} MB with each shared page counted once`);
    const daemons = Object.entries(DAEMONS).map(([id, name]) => [id, residentMb(running.pid(name))] as const);
    return {
      "cluster-memory": sum(residentMb),
      "cluster-apiserver": residentMb(running.pid("orch-apiserver")),
      ...Object.fromEntries(daemons),
    };
  },
};
