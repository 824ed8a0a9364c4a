import { freePort, type RunningDaemon, startDaemon, type TestApiServer } from "@orchernetes/testkit";
import { median } from "../compare/comparison.ts";
import { threadsTimeUs } from "../cpu-time.ts";
import type { BindLoad, BindOutcome } from "../load/bind-load.ts";
import type { HollowNodesLoad } from "../load/hollow-nodes-load.ts";
import { runLoad, targetOf } from "../load/run-load.ts";
import type { Row } from "../row.ts";

/** Bursts after the first one, of which the median counts. */
const FURTHER_BURSTS = 3;

/** Pods created and bound by a real scheduler on hollow nodes. */
function scheduleRow(nodes: 1000 | 5000, upstream: number): Row {
  const id = `schedule-${nodes}`;
  return {
    id,
    measures: [
      {
        id,
        work: `schedule 3,000 pods on ${nodes.toLocaleString("en")} nodes, end to end, with every event written`,
        unit: "pods/s",
        upstream: { text: `${upstream} pods/s`, best: upstream },
        atLeast: 1500,
      },
      { id: `${id}-bound`, work: "… until the last pod has a node", unit: "pods/s" },
      { id: `${id}-again`, work: `… with every event, again, median of ${FURTHER_BURSTS}`, unit: "pods/s" },
    ],
    async run({ quick, startServer, defer, note }) {
      const server = await startServer();
      const target = targetOf(server);
      await runLoad<HollowNodesLoad, object>("hollow-nodes-load", { target, nodes, connections: 16 });
      const flags = [
        `--orchconfig=${server.clientConfig}`,
        "--leader-elect=false",
        "--bind-address=127.0.0.1",
        `--secure-port=${await freePort()}`,
        `--cert-dir=${server.dir}/scheduler`,
        "--orch-api-qps=100000",
        "--orch-api-burst=100000",
      ];
      const scheduler = await startDaemon({ name: "orch-scheduler", flags, dir: server.dir });
      defer(() => scheduler.stop());
      const load: BindLoad = { target, pods: quick ? 300 : 3000, connections: 24, prefix: "pod", timeoutSeconds: 60 };
      try {
        // The scheduler is ready when it has bound some pods.
        const warm = { ...load, pods: 10, prefix: "warm", timeoutSeconds: 20 };
        const { bound } = await runLoad<BindLoad, BindOutcome>("bind-load", warm);
        if (bound < 10) throw new Error(`${bound} of the first 10 pods were bound within 20 s`);
        const [first, costs] = await burst(server, scheduler, load);
        const again: number[] = [];
        for (let round = 1; round <= FURTHER_BURSTS; round++) {
          const [{ eventSeconds }] = await burst(server, scheduler, { ...load, prefix: `again-${round}` });
          again.push(load.pods / eventSeconds);
        }
        note(`load by Node; CPU time a pod: ${costs}`);
        return {
          [id]: load.pods / first.eventSeconds,
          [`${id}-bound`]: load.pods / first.seconds,
          [`${id}-again`]: median(again),
        };
      } catch (error) {
        throw new Error(`${(error as Error).message}\n${scheduler.log(5)}`, { cause: error });
      }
    },
  };
}

/**
 * Schedules a burst of pods. Returns the outcome, and what a pod costs each process, as text.
 * @throws Error if a pod was not bound, or an event not written, in time
 */
async function burst(
  server: TestApiServer,
  scheduler: RunningDaemon,
  load: BindLoad,
): Promise<readonly [BindOutcome, string]> {
  const processes = [
    ["API server", server.pid],
    ["etcd", server.etcd?.pid],
    ["scheduler", scheduler.pid],
  ] as const;
  const spent = () => processes.map(([, pid]) => (pid === undefined ? 0 : threadsTimeUs(pid)));
  const before = spent();
  const outcome = await runLoad<BindLoad, BindOutcome>("bind-load", load);
  if (outcome.bound < load.pods) throw new Error(`${outcome.bound} of ${load.pods} pods were bound within 60 s`);
  if (outcome.events < load.pods) throw new Error(`${outcome.events} of ${load.pods} events were written`);
  const after = spent();
  const costs = processes.map(([name], i) => [name, (after[i] ?? 0) - (before[i] ?? 0)] as const);
  const text = [...costs, ["load", outcome.cpuUs] as const]
    .map(([name, us]) => `${name} ${Math.round(us / load.pods)} µs`)
    .join(", ");
  return [outcome, text];
}

/** One row per number of nodes. */
export const scheduleRows: readonly Row[] = [scheduleRow(1000, 201), scheduleRow(5000, 314)];
