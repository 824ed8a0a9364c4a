import { setTimeout as sleep } from "node:timers/promises";
import { cpuTimeUs } from "../cpu-time.ts";
import { fillReplicaSets } from "../load/fill-replica-sets.ts";
import type { HollowNodesLoad } from "../load/hollow-nodes-load.ts";
import { runLoad, targetOf } from "../load/run-load.ts";
import type { Row } from "../row.ts";
import { startControllerManager } from "../servers/controller-manager.ts";
import { residentMb } from "../servers/memory.ts";
import { untilIdle } from "../servers/until-idle.ts";

/** The controller manager of a large cluster: what its start and its idling cost. */
export const controllers: Row = {
  id: "controllers",
  measures: [
    {
      id: "controllers-start",
      work: "controller manager, 5,000 nodes, 50,000 pods: CPU time of a start",
      unit: "s",
      atMost: 6,
    },
    { id: "controllers-memory", work: "… resident once it is idle", unit: "MB", atMost: 450 },
    { id: "controllers-idle", work: "… of a core while nothing changes", unit: "%", atMost: 3 },
  ],
  async run({ quick, startServer, defer, note }) {
    const server = await startServer("etcd");
    const count = quick ? 500 : 5000;
    await runLoad<HollowNodesLoad, object>("hollow-nodes-load", {
      target: targetOf(server),
      nodes: count,
      connections: 16,
    });
    const nodes = Array.from({ length: count }, (_, index) => `hollow-${index}`);
    await fillReplicaSets(server, { sets: count / 10, podsPerSet: 100, nodes });
    // Nobody renews the leases of these nodes.
    const manager = await startControllerManager(server, ["--node-monitor-grace-period=24h"]);
    defer(() => manager.stop());
    try {
      // What is written once in the life of a cluster, such as annotations of nodes, is no part of a start.
      await untilIdle(manager.pid);
      await manager.restart();
      const startUs = await untilIdle(manager.pid);
      const memory = residentMb(manager.pid);
      const idleMs = quick ? 5000 : 30_000;
      const before = cpuTimeUs(manager.pid);
      await sleep(idleMs);
      const share = (cpuTimeUs(manager.pid) - before) / 1000 / idleMs;
      note(`${count} nodes, ${count * 10} pods of ${count / 10} ReplicaSets; a second start, from source`);
      return { "controllers-start": startUs / 1e6, "controllers-memory": memory, "controllers-idle": share * 100 };
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${manager.log(5)}`, { cause: error });
    }
  },
};
