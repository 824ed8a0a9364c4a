import { FakeClock } from "@orchernetes/kernel";
import { type PodBuilder, pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { podInfo } from "../cache/pod-info.ts";
import type { ClusterChange, QueueingHint, Rejector } from "../framework/cluster-change.ts";
import { ClusterEvent, type ClusterEvents } from "../framework/interfaces.ts";
import { type QueuedPod, SchedulingQueue } from "./scheduling-queue.ts";

const info = (builder: PodBuilder) => podInfo(builder.build());
const { NodeAdded, NodeTaints, PodDeleted } = ClusterEvent;

const none = { active: 0, backoff: 0, unschedulable: 0, gated: 0 };

/** A change of a node; the queue compares only its events. */
const change = (events: ClusterEvents): ClusterChange => ({ resource: "Node", events, label: "NodeAdd" });

/** Plugins that rejected a pod, and the events of each; 0: it is not known what helps. */
const waitingFor = (...events: readonly ClusterEvents[]): readonly Rejector[] =>
  events.filter((bits) => bits !== 0).map((bits, i) => ({ name: `P${i}`, events: bits }));

function setUp(options: Partial<ConstructorParameters<typeof SchedulingQueue>[0]> = {}) {
  const clock = new FakeClock();
  return { clock, queue: new SchedulingQueue({ clock, ...options }) };
}

function popOne(queue: SchedulingQueue): QueuedPod {
  const queued = queue.pop();
  if (queued === undefined) throw new Error("nothing is due");
  return queued;
}

const names = (queue: SchedulingQueue): string[] => {
  const out: string[] = [];
  for (let queued = queue.pop(); queued !== undefined; queued = queue.pop()) out.push(queued.info.pod.metadata.name);
  return out;
};

test.each([
  ["by arrival", [pod("a"), pod("b"), pod("c")], ["a", "b", "c"]],
  ["by priority first", [pod("a"), pod("b").priority(5), pod("c").priority(-1)], ["b", "a", "c"]],
])("pods come %s", (_, pods, want) => {
  const { queue } = setUp();
  for (const one of pods) queue.add(info(one));
  expect(names(queue)).toEqual(want);
});

test("the back-off doubles with every attempt up to its limit", () => {
  const { clock, queue } = setUp({ initialBackoffMs: 1000, maxBackoffMs: 5000 });
  queue.add(info(pod("a")));
  let queued = popOne(queue);
  const waits: number[] = [];
  for (let attempt = 1; attempt <= 5; attempt++) {
    queue.failTransient(queued);
    const from = clock.monotonicMs();
    for (let due = queue.pop(); ; due = queue.pop()) {
      if (due !== undefined) {
        queued = due;
        break;
      }
      clock.advance(100);
    }
    waits.push(clock.monotonicMs() - from);
  }
  expect(waits).toEqual([1000, 2000, 4000, 5000, 5000]);
  expect(queued.attempts).toBe(6);
});

test.each([
  ["an event that helps", PodDeleted, PodDeleted, 5000, "active"],
  ["one of several that help", PodDeleted | NodeAdded, NodeAdded, 5000, "active"],
  ["an event that helps, within the back-off", PodDeleted, PodDeleted, 10, "backoff"],
  ["an event that does not help", PodDeleted, NodeTaints, 5000, "unschedulable"],
  ["any event, when it is not known what helps", 0, NodeTaints, 5000, "active"],
] as const)("after %s", (_, helps, happened, afterMs, want) => {
  const { clock, queue } = setUp();
  queue.add(info(pod("a")));
  queue.fail(popOne(queue), waitingFor(helps));
  clock.advance(afterMs);
  expect(queue.counts()).toEqual({ ...none, unschedulable: 1 });
  queue.moveAll(change(happened));
  expect(queue.counts()).toEqual({ ...none, [want]: 1 });
  clock.advance(1000);
  expect(names(queue)).toEqual(want === "unschedulable" ? [] : ["a"]);
});

test("an event between two decisions retries exactly the pods that had failed before it", () => {
  const { clock, queue } = setUp();
  queue.add(info(pod("before")));
  queue.add(info(pod("during")));
  queue.fail(popOne(queue), waitingFor(PodDeleted));
  const during = popOne(queue);
  clock.advance(5000);
  queue.moveAll(change(PodDeleted));
  expect(names(queue)).toEqual(["before"]);
  // Its binding was rejected: it is tried again without waiting for another event.
  queue.failTransient(during);
  clock.advance(1000);
  expect(names(queue)).toEqual(["during"]);
});

test.each([
  ["its spec did", true, ["a"]],
  ["only its status did", false, []],
])("an unschedulable pod that changed is tried again when %s", (_, mayHelp, want) => {
  const { clock, queue } = setUp();
  queue.add(info(pod("a")));
  queue.fail(popOne(queue), waitingFor(NodeAdded));
  clock.advance(5000);
  queue.update(info(pod("a").labels({ x: "y" })), mayHelp);
  expect(names(queue)).toEqual(want);
});

test("a change during an attempt is used by the next one", () => {
  const { clock, queue } = setUp();
  queue.add(info(pod("a")));
  const queued = popOne(queue);
  queue.update(info(pod("a").labels({ x: "y" })), true);
  queue.failTransient(queued);
  clock.advance(1000);
  expect(popOne(queue).info.pod.metadata.labels).toEqual({ x: "y" });
});

test.each([
  ["its labels have changed", true, ["a"]],
  ["only its status has changed", false, []],
])("a pod that is rejected is tried again if %s during the attempt", (_, mayHelp, want) => {
  const { clock, queue } = setUp();
  queue.add(info(pod("a")));
  const queued = popOne(queue);
  queue.update(info(pod("a").labels({ x: "y" })), mayHelp);
  queue.fail(queued, waitingFor(NodeAdded));
  clock.advance(1000);
  expect(names(queue)).toEqual(want);
});

test("a pod that is reactivated comes before pods that were added after its failure", () => {
  const { clock, queue } = setUp();
  queue.add(info(pod("preemptor")));
  queue.fail(popOne(queue), waitingFor(PodDeleted));
  queue.add(info(pod("later")));
  clock.advance(1000);
  queue.moveAll(change(PodDeleted));
  expect(names(queue)).toEqual(["preemptor", "later"]);
});

test("a change of priority reorders active pods", () => {
  const { queue } = setUp();
  for (const name of ["a", "b", "c"]) queue.add(info(pod(name)));
  queue.update(info(pod("c").priority(10)), true);
  expect(names(queue)).toEqual(["c", "a", "b"]);
});

test.each(["active", "backoff", "unschedulable", "inFlight"] as const)(
  "a pod created again with the same name while the old one is %s is a new pod",
  (place) => {
    const { clock, queue } = setUp();
    queue.add(info(pod("a").uid("old")));
    const old = place === "active" ? undefined : popOne(queue);
    if (old !== undefined && place === "backoff") queue.failTransient(old);
    if (old !== undefined && place === "unschedulable") queue.fail(old, waitingFor(NodeAdded));
    queue.delete("default/a");
    queue.add(info(pod("a").uid("new")));
    if (old !== undefined) {
      // The result of the old attempt must not affect the new pod.
      queue.fail(old, waitingFor(NodeAdded));
      queue.failTransient(old);
      queue.done(old);
    }
    const queued = popOne(queue);
    expect(queued.info.uid).toBe("new");
    expect(queued.attempts).toBe(1);
    clock.advance(60_000);
    queue.moveAll(change(NodeAdded));
    expect(names(queue)).toEqual([]);
    expect(queue.counts()).toEqual(none);
  },
);

test("an update with another uid is a new pod", () => {
  const { queue } = setUp();
  queue.add(info(pod("a").uid("old")));
  queue.failTransient(popOne(queue));
  queue.update(info(pod("a").uid("new")), false);
  expect(popOne(queue)).toMatchObject({ attempts: 1, info: { uid: "new" } });
});

test("pods wait for an event for no longer than the limit", () => {
  const { clock, queue } = setUp({ maxUnschedulableMs: 300_000 });
  queue.add(info(pod("a")));
  queue.fail(popOne(queue), waitingFor(NodeAdded));
  clock.advance(299_999);
  queue.flushUnschedulable();
  expect(names(queue)).toEqual([]);
  clock.advance(1);
  queue.flushUnschedulable();
  expect(names(queue)).toEqual(["a"]);
});

test("pods that are deleted before an attempt leave nothing behind", () => {
  const { queue } = setUp();
  for (let i = 0; i < 1000; i++) {
    queue.add(info(pod(`p${i}`)));
    queue.delete(`default/p${i}`);
  }
  expect(queue.counts()).toEqual(none);
});

test.each([
  ["a pod is added", 0, (queue: SchedulingQueue) => queue.add(info(pod("b")))],
  ["a back-off is over", 1000, () => undefined],
])("a caller that waits for a pod continues when %s", async (_, advanceMs, act) => {
  const { clock, queue } = setUp();
  queue.add(info(pod("a")));
  queue.failTransient(popOne(queue));
  let woken = false;
  const waiting = queue.wait(new AbortController().signal).then(() => {
    woken = true;
  });
  await clock.advanceAsync(999);
  expect(woken).toBe(false);
  act(queue);
  await clock.advanceAsync(advanceMs);
  await waiting;
  expect(queue.pop()).toBeDefined();
  expect(clock.waiting).toBe(0);
});

test("waiting ends when the signal aborts", async () => {
  const { clock, queue } = setUp();
  const controller = new AbortController();
  const waiting = queue.wait(controller.signal);
  controller.abort();
  await waiting;
  expect(clock.waiting).toBe(0);
});

test.each<[string, readonly (QueueingHint | undefined)[], string[]]>([
  ["a plugin without a hint wakes it", [undefined], ["a"]],
  ["its hint says so", [() => "queue"], ["a"]],
  ["its hint denies it", [() => "skip"], []],
  ["one of several hints says so", [() => "skip", () => "queue"], ["a"]],
  [
    "a hint cannot judge",
    [
      () => {
        throw new Error("not a selector");
      },
    ],
    ["a"],
  ],
])("an event that a plugin names: %s", (_, hints, want) => {
  const { clock, queue } = setUp();
  queue.add(info(pod("a")));
  const rejectors = hints.map((hint, i) => ({ name: `P${i}`, events: NodeAdded, ...(hint && { hint }) }));
  queue.fail(popOne(queue), rejectors);
  clock.advance(5000);
  queue.moveAll(change(NodeAdded));
  expect(names(queue)).toEqual(want);
});

test("a hint receives the current pod and the change, and is called only for its own event", () => {
  const { queue } = setUp();
  const asked: unknown[] = [];
  const hint: QueueingHint = (waiting, happened) => {
    asked.push([waiting.pod.metadata.labels, happened]);
    return "skip";
  };
  queue.add(info(pod("a")));
  queue.fail(popOne(queue), [{ name: "P", events: NodeAdded, hint }]);
  queue.update(info(pod("a").labels({ x: "y" })), false);
  queue.moveAll(change(PodDeleted));
  queue.moveAll(change(NodeAdded));
  expect(asked).toEqual([[{ x: "y" }, change(NodeAdded)]]);
});

const gated = pod("a").spec({ schedulingGates: [{ name: "g" }] });

test("a gated pod is counted, is not reactivated by cluster events, and becomes active once its gates are removed", () => {
  const { clock, queue } = setUp();
  queue.add(info(gated));
  clock.advance(600_000);
  queue.moveAll(change(NodeAdded));
  queue.flushUnschedulable();
  expect(queue.counts()).toEqual({ ...none, gated: 1 });
  expect([...queue.pods()].map(({ rejectors }) => rejectors.map(({ name }) => name))).toEqual([["SchedulingGates"]]);
  expect(names(queue)).toEqual([]);
  queue.update(info(gated.labels({ x: "y" })), true);
  expect(queue.counts()).toEqual({ ...none, gated: 1 });
  queue.update(info(pod("a")), true);
  expect(queue.counts()).toEqual({ ...none, active: 1 });
  expect(popOne(queue)).toMatchObject({ attempts: 1, rejectors: [] });
});

test("the scheduling duration of a gated pod is measured from the removal of its gates", () => {
  const { clock, queue } = setUp();
  queue.add(info(gated));
  clock.advance(60_000);
  const removedMs = clock.monotonicMs();
  queue.update(info(pod("a")), true);
  clock.advance(1000);
  const queued = popOne(queue);
  expect([queued.readyMs, removedMs - queued.arrivedMs]).toEqual([removedMs, 60_000]);
  // A later attempt does not change it.
  queue.failTransient(queued);
  clock.advance(10_000);
  expect(popOne(queue).readyMs).toBe(removedMs);
});

test("a gated pod that is deleted, or replaced by one without gates, is forgotten", () => {
  const { queue } = setUp();
  queue.add(info(gated.uid("old")));
  queue.delete("default/a");
  expect(queue.counts()).toEqual(none);
  queue.add(info(gated.uid("old")));
  queue.update(info(pod("a").uid("new")), true);
  expect(queue.counts()).toEqual({ ...none, active: 1 });
});

test("pods that enter the queue are counted by its part and the event", () => {
  const counted: string[] = [];
  const { clock, queue } = setUp({ metrics: { incoming: (place, event) => counted.push(`${place} ${event}`) } });
  const take = () => counted.splice(0);
  // As upstream, neither gated pods nor updates are counted.
  queue.add(info(gated));
  queue.update(info(gated.labels({ x: "y" })), true);
  queue.update(info(pod("a")), true);
  expect(take()).toEqual([]);
  queue.fail(popOne(queue), waitingFor(NodeAdded));
  queue.moveAll(change(NodeAdded));
  clock.advance(1000);
  expect(take()).toEqual(["unschedulable ScheduleAttemptFailure", "backoff NodeAdd"]);
  queue.failTransient(popOne(queue));
  expect(take()).toEqual(["active BackoffComplete", "backoff ScheduleAttemptFailure"]);
  clock.advance(10_000);
  queue.fail(popOne(queue), waitingFor(NodeAdded));
  clock.advance(300_000);
  queue.flushUnschedulable();
  expect(take()).toEqual([
    "active BackoffComplete",
    "unschedulable ScheduleAttemptFailure",
    "active UnschedulableTimeout",
  ]);
  const during = popOne(queue);
  queue.moveAll(change(NodeAdded));
  queue.fail(during, waitingFor(NodeAdded));
  expect(take()).toEqual(["backoff ScheduleAttemptFailure"]);
  queue.activate(["default/a"]);
  expect(take()).toEqual(["active ForceActivate"]);
});

test.each<[string, (queue: SchedulingQueue) => void, "active" | "inFlight"]>([
  ["unschedulable", (queue) => queue.fail(popOne(queue), waitingFor(NodeAdded)), "active"],
  ["in back-off", (queue) => queue.failTransient(popOne(queue)), "active"],
  ["active", () => undefined, "active"],
  ["being tried", (queue) => void popOne(queue), "inFlight"],
])("a pod that is %s and is to be activated is tried next", (_, act, want) => {
  const { queue } = setUp();
  queue.add(info(pod("a")));
  act(queue);
  queue.activate(["default/a", "default/unknown"]);
  expect([...queue.pods()].map(({ place }) => place)).toEqual([want]);
  expect(queue.counts()).toEqual({ ...none, active: want === "active" ? 1 : 0 });
  expect(names(queue)).toEqual(want === "active" ? ["a"] : []);
});

test("whoever waits goes on when a pod is activated", async () => {
  const { clock, queue } = setUp();
  queue.add(info(pod("a")));
  queue.fail(popOne(queue), waitingFor(NodeAdded));
  const waiting = queue.wait(new AbortController().signal);
  queue.activate(["default/a"]);
  await waiting;
  expect([names(queue), clock.waiting]).toEqual([["a"], 0]);
});

test("a pod that a PreEnqueue plugin holds back is examined again when it is activated, and after the limit", () => {
  let isOpen = false;
  const preEnqueue = (): Rejector | undefined => (isOpen ? undefined : { name: "P", events: 0 });
  const { clock, queue } = setUp({ preEnqueue, maxUnschedulableMs: 300_000 });
  queue.add(info(pod("a")));
  queue.add(info(pod("b")));
  queue.activate(["default/a"]);
  expect(queue.counts()).toEqual({ ...none, gated: 2 });
  isOpen = true;
  queue.activate(["default/a"]);
  expect(queue.counts()).toEqual({ ...none, active: 1, gated: 1 });
  clock.advance(299_999);
  queue.flushUnschedulable();
  expect(queue.counts()).toEqual({ ...none, active: 1, gated: 1 });
  clock.advance(1);
  queue.flushUnschedulable();
  expect(names(queue)).toEqual(["a", "b"]);
});
