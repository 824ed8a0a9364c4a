import { FakeClock } from "@orchernetes/kernel";
import { type PodBuilder, pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { podInfo } from "../cache/pod-info.ts";
import { ClusterEvent } from "../framework/interfaces.ts";
import { type QueuedPod, SchedulingQueue } from "./scheduling-queue.ts";

const info = (builder: PodBuilder) => podInfo(builder.build());
const { NodeAdded, NodeTaints, PodDeleted } = ClusterEvent;

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
  queue.fail(popOne(queue), helps);
  clock.advance(afterMs);
  expect(queue.counts()).toEqual({ active: 0, backoff: 0, unschedulable: 1 });
  queue.moveAll(happened);
  expect(queue.counts()).toEqual({ active: 0, backoff: 0, unschedulable: 0, [want]: 1 });
  clock.advance(1000);
  expect(names(queue)).toEqual(want === "unschedulable" ? [] : ["a"]);
});

test("an event between two decisions retries exactly the pods that had failed before it", () => {
  const { clock, queue } = setUp();
  queue.add(info(pod("before")));
  queue.add(info(pod("during")));
  queue.fail(popOne(queue), PodDeleted);
  const during = popOne(queue);
  clock.advance(5000);
  queue.moveAll(PodDeleted);
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
  queue.fail(popOne(queue), NodeAdded);
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
    if (old !== undefined && place === "unschedulable") queue.fail(old, NodeAdded);
    queue.delete("default/a");
    queue.add(info(pod("a").uid("new")));
    if (old !== undefined) {
      // The result of the old attempt must not affect the new pod.
      queue.fail(old, NodeAdded);
      queue.failTransient(old);
      queue.done(old);
    }
    const queued = popOne(queue);
    expect(queued.info.uid).toBe("new");
    expect(queued.attempts).toBe(1);
    clock.advance(60_000);
    queue.moveAll(NodeAdded);
    expect(names(queue)).toEqual([]);
    expect(queue.counts()).toEqual({ active: 0, backoff: 0, unschedulable: 0 });
  },
);

test("an update with another uid is a new pod", () => {
  const { queue } = setUp();
  queue.add(info(pod("a").uid("old")));
  queue.failTransient(popOne(queue));
  queue.update(info(pod("a").uid("new")), false);
  expect(popOne(queue)).toMatchObject({ attempts: 1, info: { uid: "new" } });
});

test("pods wait for an event at most until the limit", () => {
  const { clock, queue } = setUp({ maxUnschedulableMs: 300_000 });
  queue.add(info(pod("a")));
  queue.fail(popOne(queue), NodeAdded);
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
  expect(queue.counts()).toEqual({ active: 0, backoff: 0, unschedulable: 0 });
});

test.each([
  ["a pod is added", 0, (queue: SchedulingQueue) => queue.add(info(pod("b")))],
  ["a back-off is over", 1000, () => undefined],
])("whoever waits goes on when %s", async (_, advanceMs, act) => {
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
