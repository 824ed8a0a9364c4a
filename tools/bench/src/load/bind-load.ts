import { setTimeout as sleep } from "node:timers/promises";
import { followBoundPods } from "./bound-pods.ts";
import { getRequest, HttpConnection, type Target, writeRequest } from "./http-connection.ts";
import { inParallel } from "./in-parallel.ts";
import { loadProgram } from "./load-program.ts";
import { collectionPath, NAMESPACE, objectJson } from "./objects.ts";

/** Creates pending pods and waits until each is bound to a node, and its event is written. */
export interface BindLoad {
  readonly target: Target;
  readonly pods: number;
  readonly connections: number;
  readonly prefix: string;
  readonly timeoutSeconds: number;
}

/** The result; seconds from the first create to the last binding, and to the last event. */
export interface BindOutcome {
  readonly bound: number;
  readonly seconds: number;
  /** Events of the namespace that came meanwhile. */
  readonly events: number;
  readonly eventSeconds: number;
  /** CPU time of this load, in microseconds, over the same time. */
  readonly cpuUs: number;
}

/** Interval of the looks at the number of events, in milliseconds. */
const LOOK_MS = 20;

await loadProgram<BindLoad>(async ({ target, pods, connections, prefix, timeoutSeconds }) => {
  const path = collectionPath("pending-pod");
  const one = await HttpConnection.open(target);
  const list = async (of: string) => {
    const { body } = await one.send(getRequest(target, `${of}?limit=1`), true);
    return JSON.parse(body) as {
      readonly metadata: { readonly resourceVersion: string; readonly remainingItemCount?: number };
      readonly items: readonly unknown[];
    };
  };
  const countEvents = async (): Promise<number> => {
    const { metadata, items } = await list(`/api/v1/namespaces/${NAMESPACE}/events`);
    return items.length + (metadata.remainingItemCount ?? 0);
  };
  const before = await countEvents();
  const { resourceVersion } = (await list(path)).metadata;
  const watch = await followBoundPods(target, path, prefix, resourceVersion);
  const cpuBefore = process.cpuUsage();
  const started = performance.now();
  await inParallel(target, connections, pods, async (connection, n) => {
    const body = objectJson("pending-pod", `${prefix}-${n}`, n, 0);
    const { status } = await connection.send(writeRequest(target, "POST", path, body));
    if (status !== 201) throw new Error(`creating Pod ${prefix}-${n}: status ${status}, 201 is expected`);
  });
  const bound = await watch.until(pods, timeoutSeconds * 1000);
  const end = performance.now() + timeoutSeconds * 1000;
  let events = (await countEvents()) - before;
  while (bound === pods && events < pods && performance.now() < end) {
    await sleep(LOOK_MS);
    events = (await countEvents()) - before;
  }
  const eventSeconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const seconds = (watch.lastMs - started) / 1000;
  return { bound, seconds, events, eventSeconds, cpuUs: user + system } satisfies BindOutcome;
});
