import { freePort, startDaemon } from "@orchernetes/testkit";
import { fillReplicaSets } from "../load/fill-replica-sets.ts";
import type { HollowNodesLoad } from "../load/hollow-nodes-load.ts";
import { runLoad, targetOf } from "../load/run-load.ts";
import type { Row } from "../row.ts";
import { residentMb } from "../servers/memory.ts";
import { untilIdle } from "../servers/until-idle.ts";

/** Pods of a ReplicaSet. */
const PODS_PER_SET = 100;

/** Memory of the scheduler of a large cluster. */
export const schedulerMemory: Row = {
  id: "scheduler-memory",
  measures: [
    {
      id: "scheduler-memory",
      work: "scheduler, 5,000 nodes, 150,000 pods: resident once it is idle",
      unit: "MB",
      atMost: 400,
    },
    { id: "scheduler-start", work: "… CPU time until then", unit: "s" },
  ],
  async run({ quick, startServer, defer, note }) {
    const server = await startServer("etcd");
    const count = quick ? 500 : 5000;
    const target = targetOf(server);
    await runLoad<HollowNodesLoad, object>("hollow-nodes-load", { target, nodes: count, connections: 16 });
    const nodes = Array.from({ length: count }, (_, index) => `hollow-${index}`);
    const sets = (count * 30) / PODS_PER_SET;
    await fillReplicaSets(server, { sets, podsPerSet: PODS_PER_SET, nodes });
    const flags = [
      `--orchconfig=${server.clientConfig}`,
      "--leader-elect=false",
      "--bind-address=127.0.0.1",
      `--secure-port=${await freePort()}`,
      `--cert-dir=${server.dir}/scheduler`,
    ];
    const scheduler = await startDaemon({ name: "orch-scheduler", flags, dir: server.dir });
    defer(() => scheduler.stop());
    const startUs = await untilIdle(scheduler.pid);
    note(`${count} nodes, ${sets * PODS_PER_SET} pods of ${sets} ReplicaSets; from source`);
    return { "scheduler-memory": residentMb(scheduler.pid), "scheduler-start": startUs / 1e6 };
  },
};
