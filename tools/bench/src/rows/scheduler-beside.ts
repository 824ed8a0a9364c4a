import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  freePort,
  oldAtNew,
  startDaemon,
  startReferenceScheduler,
  startTranslatingProxy,
  type TestApiServer,
  type TranslatingProxy,
  writeOpenClientConfig,
} from "@orchernetes/testkit";
import { runLoad, targetOf } from "../load/run-load.ts";
import type { Row } from "../row.ts";
import { BEFORE, HIGH, MEASURED, type Shape } from "../scheduler/shape.ts";
import type { ShapeLoad, ShapeOutcome } from "../scheduler/shape-load.ts";
import { shapes } from "../scheduler/shapes.ts";

/** Names the program of the original's scheduler, built for this dialect. */
const VARIABLE = "ORCH_REFERENCE_SCHEDULER";
const program = process.env[VARIABLE] ?? "";

/** Shapes that need more objects than can be created in a minute, or are for comparison with others of this scheduler. */
const HUGE: readonly string[] = ["preemption-crowded", "one-template", "daemons"];

/** Part of a shape's size: 20,000 pods that are there before would take longer than all else. */
const scaleOf = ({ id }: Shape, quick: boolean): number => (quick ? 0.04 : id.startsWith("preemption") ? 0.2 : 1);

type Side = "ours" | "theirs";

/** A shape end to end, by this scheduler and by the original's. */
const besideRow = (shape: Shape): Row => ({
  id: `beside-${shape.id}`,
  unavailable: existsSync(program) ? undefined : `${VARIABLE} names no program`,
  measures: [
    {
      id: `beside-${shape.id}`,
      work: `end to end beside the original's scheduler: ${shape.work}`,
      unit: "pods/s",
    },
    { id: `beside-${shape.id}-reference`, work: "… the original's scheduler", unit: "pods/s" },
    { id: `beside-${shape.id}-ratio`, work: "… of its rate", unit: "%", atLeast: 100 },
  ],
  async run({ quick, startServer, defer, note }) {
    const server = await startServer();
    const { url, token, caFile } = server;
    const proxy = await startTranslatingProxy({ server: url, token, tls: { ca: readFileSync(caFile) } }, oldAtNew);
    defer(() => proxy.close());
    await prepare(server, shape, scaleOf(shape, quick));
    const ours = await turn(server, proxy, "ours", shape, quick);
    const theirs = await turn(server, proxy, "theirs", shape, quick);
    note("both through one proxy over HTTP/1.1; load by Node");
    return {
      [`beside-${shape.id}`]: ours,
      [`beside-${shape.id}-reference`]: theirs,
      [`beside-${shape.id}-ratio`]: (100 * ours) / theirs,
    };
  },
});

/**
 * The shapes of the public benchmarks end to end, by this scheduler and by the original's, one after the other at the same API server
 * and through the same proxy: the original's is of level 1.20 and needs it. A row per shape.
 */
export const schedulerBeside: readonly Row[] = shapes.filter(({ id }) => !HUGE.includes(id)).map(besideRow);

/** Creates what the pods of a shape need. */
async function prepare(server: TestApiServer, shape: Shape, scale: number): Promise<void> {
  const client = server.client();
  const create = (path: string, body: object) => client.request({ method: "POST", path, body });
  for (const name of [BEFORE, MEASURED]) {
    await create("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } };
    await create(`/api/v1/namespaces/${name}/serviceaccounts`, account);
  }
  const high = { apiVersion: "scheduling.o8s.io/v1", kind: "PriorityClass", metadata: { name: HIGH }, value: 10 };
  await create("/apis/scheduling.o8s.io/v1/priorityclasses", high);
  await runStep(server, { shape: shape.id, step: "nodes", scale, prefix: "node" });
}

const runStep = <R>(server: TestApiServer, load: Omit<ShapeLoad, "target" | "timeoutSeconds">): Promise<R> =>
  runLoad<ShapeLoad, R>("../scheduler/shape-load", { ...load, target: targetOf(server), timeoutSeconds: 120 }, 600_000);

/** Runs a scheduler for a shape, and removes the pods. @returns pods per second */
async function turn(
  server: TestApiServer,
  proxy: TranslatingProxy,
  side: Side,
  shape: Shape,
  quick: boolean,
): Promise<number> {
  const scheduler = await startScheduler(server, proxy, side);
  try {
    const step = { step: "pods", shape: shape.id, scale: scaleOf(shape, quick), prefix: `${side}-pod` } as const;
    const { bound, wanted, seconds } = await runStep<ShapeOutcome>(server, step);
    if (bound < wanted) throw new Error(`${shape.id}, ${side}: ${bound} of ${wanted} pods were bound`);
    return wanted / seconds;
  } finally {
    await scheduler.stop();
    const client = server.client();
    for (const namespace of [BEFORE, MEASURED])
      await client.request({
        method: "DELETE",
        path: `/api/v1/namespaces/${namespace}/pods`,
        body: { apiVersion: "v1", kind: "DeleteOptions", gracePeriodSeconds: 0 },
      });
  }
}

async function startScheduler(
  server: TestApiServer,
  proxy: TranslatingProxy,
  side: Side,
): Promise<{ stop(): Promise<unknown> }> {
  const { dir } = server;
  const clientConfig = writeOpenClientConfig(join(dir, "proxy.orchconfig"), proxy.url);
  const flags = ["--leader-elect=false", "--orch-api-qps=100000", "--orch-api-burst=100000"];
  if (side === "theirs") return startReferenceScheduler({ program, clientConfig, dir, flags });
  const own = [
    `--orchconfig=${clientConfig}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${await freePort()}`,
    `--cert-dir=${dir}/scheduler`,
  ];
  return startDaemon({ name: "orch-scheduler", flags: [...own, ...flags], dir });
}
