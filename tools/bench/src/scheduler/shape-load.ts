import type { core } from "@orchernetes/api";
import { followBoundPods } from "../load/bound-pods.ts";
import { createNode } from "../load/create-node.ts";
import { getRequest, HttpConnection, type Target, writeRequest } from "../load/http-connection.ts";
import { inParallel } from "../load/in-parallel.ts";
import { loadProgram } from "../load/load-program.ts";
import { type Batch, BEFORE, type BenchPod, HIGH, MEASURED, type Shape } from "./shape.ts";
import { shapes } from "./shapes.ts";

/** A step of the measurement of a shape at an API server. */
export interface ShapeLoad {
  readonly target: Target;
  readonly shape: string;
  /** `nodes` creates the nodes; `pods` creates the pods, and waits until they are bound. */
  readonly step: "nodes" | "pods";
  /** Part of the nodes and pods of the shape, up to 1. */
  readonly scale: number;
  /** Start of the names of pods. */
  readonly prefix: string;
  readonly timeoutSeconds: number;
}

/** The result of step `pods`; seconds from the first create of a measured pod to the last binding. */
export interface ShapeOutcome {
  readonly bound: number;
  readonly wanted: number;
  readonly seconds: number;
}

const CONNECTIONS = 16;

/** A pod as it is created. */
function bodyOf({ labels = {}, spec }: BenchPod, name: string, nodeName: string): string {
  const { priority, ...rest } = spec;
  const given: core.PodSpec = {
    ...rest,
    automountServiceAccountToken: false,
    ...(priority !== undefined && { priorityClassName: HIGH }),
    ...(nodeName !== "" && { nodeName }),
  };
  return JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name, labels }, spec: given });
}

const pathOf = (namespace: string): string => `/api/v1/namespaces/${namespace}/pods`;

/** Creates a batch of pods; those that are put on nodes evenly name their node. */
async function createPods(
  target: Target,
  namespace: string,
  prefix: string,
  { pod, evenly = false }: Batch,
  count: number,
  nodes: number,
): Promise<void> {
  await inParallel(target, CONNECTIONS, count, async (connection, n) => {
    const body = bodyOf(pod(n), `${prefix}-${n}`, evenly ? `node-${n % nodes}` : "");
    const { status } = await connection.send(writeRequest(target, "POST", pathOf(namespace), body));
    if (status !== 201) throw new Error(`creating Pod ${prefix}-${n}: status ${status}, 201 is expected`);
  });
}

async function createNodes(target: Target, shape: Shape, count: number): Promise<void> {
  await inParallel(target, CONNECTIONS, count, async (connection, n) => {
    const { labels, allocatable: resources } = shape.node(n);
    await createNode(connection, target, { name: `node-${n}`, labels, resources });
  });
}

async function schedulePods(
  { target, scale, prefix, timeoutSeconds }: ShapeLoad,
  shape: Shape,
  nodes: number,
): Promise<ShapeOutcome> {
  const one = await HttpConnection.open(target);
  const follow = async (namespace: string, start: string) => {
    const list = await one.send(getRequest(target, `${pathOf(namespace)}?limit=1`), true);
    const { resourceVersion } = (JSON.parse(list.body) as { metadata: { resourceVersion: string } }).metadata;
    return followBoundPods(target, pathOf(namespace), start, resourceVersion);
  };
  for (const [i, batch] of (shape.before ?? []).entries()) {
    const count = Math.round(batch.count * scale);
    const start = `${prefix}-before-${i}`;
    const watch = await follow(BEFORE, start);
    await createPods(target, BEFORE, start, batch, count, nodes);
    if (!shape.unschedulableBefore) {
      const bound = await watch.until(count, timeoutSeconds * 1000);
      if (bound < count) throw new Error(`${bound} of ${count} pods were bound before the measurement`);
    }
    watch.close();
  }
  const wanted = Math.round(shape.measured.count * scale);
  const watch = await follow(MEASURED, prefix);
  const startedMs = performance.now();
  await createPods(target, MEASURED, prefix, shape.measured, wanted, nodes);
  const bound = await watch.until(wanted, timeoutSeconds * 1000);
  return { bound, wanted, seconds: (watch.lastMs - startedMs) / 1000 };
}

await loadProgram<ShapeLoad>(async (load) => {
  const shape = shapes.find(({ id }) => id === load.shape);
  if (shape === undefined) throw new Error(`no shape "${load.shape}"`);
  const nodes = Math.round(shape.nodes * load.scale);
  if (load.step === "pods") return schedulePods(load, shape, nodes);
  await createNodes(load.target, shape, nodes);
  return { nodes };
});
