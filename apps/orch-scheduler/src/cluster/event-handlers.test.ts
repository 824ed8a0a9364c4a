import type { core } from "@orchernetes/api";
import type { ApiObject } from "@orchernetes/apimachinery";
import type { Informer, ResourceHandler } from "@orchernetes/client";
import { FakeClock } from "@orchernetes/kernel";
import { node, type PodBuilder, pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { NominatedPods } from "../cache/nominated-pods.ts";
import { podInfo } from "../cache/pod-info.ts";
import { SchedulerCache } from "../cache/scheduler-cache.ts";
import { ClusterEvent } from "../framework/interfaces.ts";
import { SchedulingQueue } from "../queue/scheduling-queue.ts";
import { followCluster } from "./event-handlers.ts";

/** An informer that only hands out its handler. */
function handlerOnly<T extends ApiObject>() {
  const handlers: ResourceHandler<T>[] = [];
  const informer = { addHandler: (handler: ResourceHandler<T>) => void handlers.push(handler) };
  return { informer: informer as unknown as Informer<T>, handlers };
}

function setUp() {
  const clock = new FakeClock();
  const cache = new SchedulerCache();
  const queue = new SchedulingQueue({ clock });
  const nominated = new NominatedPods();
  const pods = handlerOnly<core.Pod>();
  const nodes = handlerOnly<core.Node>();
  const namespaces = handlerOnly<core.Namespace>();
  followCluster(
    { pods: pods.informer, nodes: nodes.informer, namespaces: namespaces.informer, volumes: [] },
    { cache, queue, nominated, responsible: () => true },
  );
  return { clock, cache, queue, nominated, podHandlers: pods.handlers, nodeHandlers: nodes.handlers };
}

const gated = pod("p").spec({ schedulingGates: [{ name: "example.com/g" }] });

test("the deletion of a node retries the pods that it may help", () => {
  const { clock, cache, queue, nodeHandlers } = setUp();
  cache.nodes.setNode(node("a").build());
  for (const [name, events] of [
    ["spread", ClusterEvent.NodeDeleted],
    ["large", ClusterEvent.NodeAdded],
  ] as const) {
    queue.add(podInfo(pod(name).build()));
    const queued = queue.pop();
    if (queued !== undefined) queue.fail(queued, [{ name: "P", events }]);
  }
  clock.advance(60_000);
  for (const { onDelete } of nodeHandlers) onDelete?.(node("a").build(), false);
  expect(queue.pop()?.info.key).toBe("default/spread");
  expect(queue.pop()).toBeUndefined();
  expect(cache.nodes.size).toBe(0);
});

test("the start of a pod is recorded on its node, and no other pod is retried", () => {
  const { clock, cache, queue, podHandlers } = setUp();
  const placed = pod("p").on("a");
  cache.nodes.setNode(node("a").build());
  queue.add(podInfo(pod("waiting").build()));
  const queued = queue.pop();
  if (queued !== undefined)
    queue.fail(queued, [{ name: "P", events: ClusterEvent.PodDeleted | ClusterEvent.PodAdded }]);
  for (const { onAdd } of podHandlers) onAdd?.(placed.build(), false);
  clock.advance(60_000);
  const woken = queue.pop();
  if (woken !== undefined) queue.fail(woken, []);
  const started = placed.status({ startTime: "2024-01-01T00:00:00Z" });
  for (const { onUpdate } of podHandlers) onUpdate?.(placed.build(), started.build());
  clock.advance(60_000);
  expect(cache.nodes.podOn("a", "default/p")?.pod.status.startTime).toBe("2024-01-01T00:00:00Z");
  expect(queue.pop()).toBeUndefined();
});

test("a nomination by an earlier scheduler is known after a restart, and ends when the pod is deleted or bound", () => {
  const promised = (name: string) => pod(name).status({ nominatedNodeName: "a" });
  const { nominated, queue, podHandlers } = setUp();
  for (const { onAdd } of podHandlers) for (const name of ["p", "q", "r"]) onAdd?.(promised(name).build(), true);
  expect(["p", "q", "r"].map((name) => nominated.nodeOf(`default/${name}`))).toEqual(["a", "a", "a"]);
  for (const { onUpdate, onDelete } of podHandlers) {
    onUpdate?.(promised("p").build(), promised("p").on("b").build());
    onUpdate?.(promised("q").build(), pod("q").build());
    onDelete?.(promised("r").build(), false);
  }
  expect(["p", "q", "r"].map((name) => nominated.nodeOf(`default/${name}`))).toEqual(["", "", ""]);
  expect(queue.counts()).toMatchObject({ active: 1 });
});

test.each<[string, PodBuilder, PodBuilder | undefined, object]>([
  ["its gates are removed", gated, pod("p"), { active: 1, gated: 0 }],
  ["it is deleted while it is gated", gated, undefined, { active: 0, gated: 0 }],
  ["its deletion begins while it is gated", gated, gated.deletedAt(), { active: 0, gated: 1 }],
  // The attempt reports that it is skipped.
  ["its deletion begins while it waits", pod("p"), pod("p").deletedAt(), { active: 1, gated: 0 }],
  ["another scheduler binds it while it waits", pod("p"), pod("p").on("a"), { active: 0, gated: 0 }],
])("a pod in the queue: %s", (_, before, after, want) => {
  const { queue, podHandlers } = setUp();
  for (const { onAdd, onUpdate, onDelete } of podHandlers) {
    onAdd?.(before.build(), false);
    if (after === undefined) onDelete?.(before.build(), false);
    else onUpdate?.(before.build(), after.build());
  }
  expect(queue.counts()).toMatchObject(want);
});

test("a pod whose deletion begins while it is unschedulable is tried again, and room for it is no longer kept", () => {
  const { clock, queue, nominated, podHandlers } = setUp();
  const promised = pod("p").status({ nominatedNodeName: "a" });
  for (const { onAdd, onUpdate } of podHandlers) {
    onAdd?.(promised.build(), false);
    const queued = queue.pop();
    if (queued !== undefined) queue.fail(queued, [{ name: "P", events: 0 }]);
    onUpdate?.(promised.build(), promised.deletedAt().build());
    // A later observation of it does not nominate it again.
    onUpdate?.(pod("p").deletedAt().build(), promised.deletedAt().build());
  }
  clock.advance(10_000);
  expect(nominated.nodeOf("default/p")).toBe("");
  expect(queue.pop()?.info.pod.metadata.deletionTimestamp).toBeDefined();
});

test("a cordon is known at once, and retries no pod", () => {
  const { clock, cache, queue, nodeHandlers } = setUp();
  queue.add(podInfo(pod("p").build()));
  const queued = queue.pop();
  if (queued !== undefined) queue.fail(queued, []);
  clock.advance(60_000);
  cache.nodes.setNode(node("a").build());
  for (const { onUpdate } of nodeHandlers) onUpdate?.(node("a").build(), node("a").unschedulable().build());
  expect(queue.pop()).toBeUndefined();
  expect(cache.nodes.nodeAt(cache.nodes.slotOf("a") ?? -1)?.spec.unschedulable).toBe(true);
});
