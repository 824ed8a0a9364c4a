import { createMetrics } from "@orchernetes/component";
import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { node, pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { BindingCycle } from "./binding-cycle.ts";
import { podInfo } from "./cache/pod-info.ts";
import { SchedulerCache } from "./cache/scheduler-cache.ts";
import type { ClusterChange } from "./framework/cluster-change.ts";
import { CycleState, stateKey } from "./framework/cycle-state.ts";
import { ClusterEvent, type PermitResult, type ReservePlugin } from "./framework/interfaces.ts";
import type { Profile } from "./framework/profile.ts";
import { WaitingPods } from "./framework/waiting-pods.ts";
import { InFlight } from "./in-flight.ts";
import { cycleInstruments, ProfileMeter } from "./metrics/profile-meter.ts";
import { schedulerMetrics } from "./metrics/scheduler-metrics.ts";
import type { UnscheduledStatus } from "./pod-writes.ts";
import { SchedulingQueue } from "./queue/scheduling-queue.ts";
import { profileOf } from "./testing/profiles.ts";

/** Records a call of a Bind plugin, and returns its result. */
const binding =
  (calls: () => string[], call: string, result: "bound" | "skip" = "bound") =>
  async () => {
    calls().push(call);
    return result;
  };

const added: ClusterChange = { resource: "Node", events: ClusterEvent.NodeAdded, label: "NodeAdd" };
const labelled: ClusterChange = { resource: "Node", events: ClusterEvent.NodeLabels, label: "NodeLabelChange" };

/** A pod that was decided to run on node a, in a profile with these plugins. */
function setUp(plugins: Partial<Profile>) {
  const clock = new FakeClock();
  const calls: string[] = [];
  const reported: UnscheduledStatus[] = [];
  const cache = new SchedulerCache();
  cache.nodes.setNode(node("a").build());
  const queue = new SchedulingQueue({ clock });
  const waiting = new WaitingPods(clock);
  const metrics = createMetrics();
  const stop = new AbortController();
  const cycle = new BindingCycle({
    cache,
    queue,
    waiting,
    writes: new InFlight(10),
    metrics: schedulerMetrics(metrics, queue),
    logger: silentLogger,
    clock,
    reportFailure(_, status) {
      reported.push(status);
      calls.push(`${status.reason}: ${status.message}`);
    },
    reportBound: (_, name) => void calls.push(`bound to ${name}`),
  });
  cycle.until(stop.signal);
  const binder = { name: "B", bind: binding(() => calls, "bind") };
  const profile: Profile = { ...profileOf(), reserves: [], preBinds: [], binds: [binder], ...plugins };
  const measured = createMetrics();
  const meter = new ProfileMeter(
    cycleInstruments(measured),
    profile,
    () => clock.monotonicMs(),
    () => 0,
  ).begin();
  const info = podInfo(pod("p").uid("u").build());
  queue.add(info);
  const queued = queue.pop();
  if (queued === undefined) throw new Error("no pod");
  const start = () =>
    cycle.start({ queued, info, node: node("a").build(), profile, state: new CycleState(), meter, started: 0 });
  /** The measured points with their results, and the number of each if it is not 1. */
  const points = () =>
    [
      ...measured.render().matchAll(/_point_duration_seconds_count\{extension_point="(\w+)",status="(\w+)".* (\d+)$/gm),
    ].map(([, point, status, count]) => `${point} ${status}${count === "1" ? "" : ` ${count}`}`);
  const executed = () =>
    [
      ...measured
        .render()
        .matchAll(/_execution_duration_seconds_count\{plugin="(\w+)",extension_point="(\w+)",status="(\w+)"/g),
    ].map(([, plugin, point, status]) => `${plugin} ${point} ${status}`);
  /** A pod of the queue that waits for an event. */
  const addWaiting = (name: string, events: number) => {
    queue.add(podInfo(pod(name).build()));
    const other = queue.pop();
    if (other !== undefined) queue.fail(other, [{ name: "P", events }]);
  };
  return { clock, calls, reported, cache, queue, waiting, info, stop, start, points, executed, addWaiting };
}

const key = stateKey<string>("test");
const reserving = (name: string, calls: () => string[], fails = false): ReservePlugin => ({
  name,
  reserve(_, __, state) {
    calls().push(`reserve ${name}`);
    state.set(key, name);
    if (fails) throw new Error("none left");
  },
  unreserve: (_, __, state) => void calls().push(`unreserve ${name} (${state.get(key)})`),
});

test("extension points are called in order, with the same state", async () => {
  const calls: string[] = [];
  const world = setUp({
    reserves: [reserving("R", () => calls)],
    permits: [{ name: "P", permit: () => void calls.push("permit") }],
    preBinds: [
      { name: "X", preBind: (_, __, state) => void calls.push(`preBind after ${state.get(key)}`) },
      { name: "Y", preBind: async () => void calls.push("preBind Y") },
    ],
    binds: [
      { name: "S", bind: binding(() => calls, "skip", "skip") },
      { name: "B", bind: binding(() => calls, "bind") },
      { name: "C", bind: binding(() => calls, "never") },
    ],
    postBinds: [
      {
        name: "F",
        postBind() {
          throw new Error("logged");
        },
      },
      { name: "Q", postBind: () => void calls.push("postBind") },
    ],
  });
  world.start();
  expect(calls).toEqual(["reserve R", "permit", "preBind after R", "preBind Y"]);
  expect(world.cache.isAssumed("default/p", "u")).toBe(true);
  await world.clock.advanceAsync(0);
  expect(calls.slice(4)).toEqual(["skip", "bind", "postBind"]);
  expect(world.calls).toEqual(["bound to a"]);
  expect(world.queue.has("default/p")).toBe(false);
});

test("reservations are released in reverse order, and the assumed pod is forgotten", () => {
  const calls: string[] = [];
  const { start, cache } = setUp({ reserves: [reserving("R", () => calls), reserving("S", () => calls, true)] });
  expect(start).toThrow('running Reserve plugin "S": none left');
  expect(calls).toEqual(["reserve R", "reserve S", "unreserve S (S)", "unreserve R (S)"]);
  expect(cache.isAssumed("default/p", "u")).toBe(false);
  expect(cache.nodes.podOn("a", "default/p")).toBeUndefined();
});

const wait: PermitResult = { type: "wait", timeoutMs: 5000 };
const holding = (...names: string[]) => ({
  permits: names.map((name) => ({ name, events: ClusterEvent.NodeAdded, permit: () => wait })),
});

test("a pod that waits on Permit is bound when every plugin allows it, and counts on its node until then", async () => {
  const { start, waiting, clock, calls, cache } = setUp(holding("P", "Q"));
  start();
  await clock.advanceAsync(4999);
  expect(calls).toEqual([]);
  expect(cache.nodes.podOn("a", "default/p")).toBeDefined();
  expect(waiting.get("u")).toMatchObject({ node: "a", pendingPlugins: ["P", "Q"] });
  waiting.get("u")?.allow("P");
  waiting.get("u")?.allow("Nobody");
  await clock.advanceAsync(0);
  expect(calls).toEqual([]);
  waiting.get("u")?.allow("Q");
  await clock.advanceAsync(0);
  expect(calls).toEqual(["bind", "bound to a"]);
  expect([waiting.list(), clock.waiting]).toEqual([[], 0]);
});

test.each<[string, (world: ReturnType<typeof setUp>) => void, string]>([
  [
    "its time is over",
    ({ clock }) => clock.advance(5000),
    "Unschedulable: rejected due to timeout after waiting 5s at plugin P",
  ],
  ["it is rejected", ({ waiting }) => waiting.get("u")?.reject("P", "not you"), "Unschedulable: not you"],
])("a pod that waits on Permit releases its node if %s", async (_, end, message) => {
  const world = setUp(holding("P"));
  world.start();
  end(world);
  await world.clock.advanceAsync(0);
  expect(world.calls).toEqual([message]);
  expect(world.cache.nodes.podOn("a", "default/p")).toBeUndefined();
  expect(world.queue.counts()).toMatchObject({ unschedulable: 1 });
  // Its own departure does not wake it; what its plugin waits for does.
  world.queue.moveAll(labelled);
  expect(world.queue.counts()).toMatchObject({ unschedulable: 1 });
  world.queue.moveAll(added);
  expect(world.queue.counts()).toMatchObject({ unschedulable: 0 });
});

test.each([
  [added, 0],
  [labelled, 1],
])("an event during the wait on Permit is not lost if the pod is then rejected: %j", async (change, unschedulable) => {
  const { start, queue, waiting, clock } = setUp(holding("P"));
  start();
  queue.moveAll(change);
  waiting.get("u")?.reject("P", "no");
  await clock.advanceAsync(0);
  expect(queue.counts()).toMatchObject({ unschedulable });
});

test("an immediate rejection by a Permit plugin is reported, and the reservation is undone", async () => {
  const calls: string[] = [];
  const world = setUp({
    reserves: [reserving("R", () => calls)],
    permits: [{ name: "P", permit: () => ({ type: "reject", message: "full" }) }],
  });
  world.start();
  await world.clock.advanceAsync(0);
  expect(calls).toEqual(["reserve R", "unreserve R (R)"]);
  expect(world.calls).toEqual(["Unschedulable: full"]);
});

test("the error of a Permit plugin names the plugin, and the assumed pod is forgotten", () => {
  const { start, cache } = setUp({
    permits: [
      {
        name: "P",
        permit() {
          throw new Error("oops");
        },
      },
    ],
  });
  expect(start).toThrow('running Permit plugin "P": oops');
  expect(cache.isAssumed("default/p", "u")).toBe(false);
});

test("the error of a PreBind plugin names the plugin, and the pod is retried after its back-off", async () => {
  const { start, clock, calls, queue } = setUp({
    preBinds: [{ name: "X", preBind: () => Promise.reject(new Error("no disk")) }],
  });
  start();
  await clock.advanceAsync(0);
  expect(calls).toEqual(['SchedulerError: running PreBind plugin "X": no disk']);
  expect(queue.counts()).toMatchObject({ backoff: 1 });
});

test("the pod is retried if no plugin binds it", async () => {
  const { start, clock, calls } = setUp({ binds: [{ name: "S", bind: async () => "skip" }] });
  start();
  await clock.advanceAsync(0);
  expect(calls).toEqual(["SchedulerError: all Bind plugins skipped the pod"]);
});

test.each<[string, Partial<Profile>, string]>([
  [
    "a binder",
    { binds: [{ name: "B", bind: () => Promise.reject(new Error("no")) }] },
    'SchedulerError: running Bind plugin "B": no',
  ],
  [
    "an extender that binds",
    { binds: [{ name: "Extender", bind: () => Promise.reject(new Error("no licence")) }] },
    "SchedulerError: no licence",
  ],
  [
    "PreBind",
    { preBinds: [{ name: "X", preBind: () => Promise.reject(new Error("no disk")) }] },
    'SchedulerError: running PreBind plugin "X": no disk',
  ],
  [
    "Permit",
    { permits: [{ name: "P", permit: () => ({ type: "reject" as const, message: "full" }) }] },
    "Unschedulable: full",
  ],
])("a failure of %s is reported with the message of Kubernetes, and ends a nomination", async (_, plugins, want) => {
  const { start, clock, calls, reported } = setUp(plugins);
  start();
  await clock.advanceAsync(0);
  expect(calls).toEqual([want]);
  expect(reported).toMatchObject([{ nominatedNodeName: "" }]);
});

test("when the scheduler stops, the wait on Permit ends without a report", async () => {
  const { start, stop, clock, calls } = setUp(holding("P"));
  start();
  stop.abort();
  await clock.advanceAsync(0);
  expect([calls, clock.waiting]).toEqual([[], 0]);
});

const always = { name: "X" };
const rejecting = { ...always, permit: () => ({ type: "reject" as const, message: "full" }) };
const throwing = (): never => {
  throw new Error("oops");
};
const bound = ["Reserve Success", "Permit Success", "PreBind Success", "Bind Success", "PostBind Success"];

test.each<[string, Partial<Profile>, readonly string[], readonly string[]]>([
  ["without plugins", {}, bound, ["B Bind Success"]],
  [
    "with plugins",
    {
      reserves: [{ ...always, reserve: () => undefined, unreserve: () => undefined }],
      permits: [{ ...always, permit: () => undefined }],
      preBinds: [
        { ...always, preBind: () => undefined },
        { name: "Y", preBind: async () => undefined },
      ],
      binds: [
        { name: "S", bind: async () => "skip" },
        { name: "B", bind: async () => "bound" },
      ],
      postBinds: [{ ...always, postBind: () => undefined }],
    },
    bound,
    [
      "X Reserve Success",
      "X Permit Success",
      "X PreBind Success",
      "Y PreBind Success",
      "S Bind Skip",
      "B Bind Success",
      "X PostBind Success",
    ],
  ],
  [
    "when Reserve fails",
    { reserves: [{ ...always, reserve: throwing, unreserve: () => undefined }] },
    ["Reserve Error", "Unreserve Success"],
    ["X Reserve Error", "X Unreserve Success"],
  ],
  [
    "when Permit rejects",
    { permits: [rejecting] },
    ["Reserve Success", "Permit Unschedulable", "Unreserve Success"],
    ["X Permit Unschedulable"],
  ],
  [
    "when Permit fails",
    { permits: [{ ...always, permit: throwing }] },
    ["Reserve Success", "Permit Error", "Unreserve Success"],
    ["X Permit Error"],
  ],
  ["while Permit holds the pod", holding("X"), ["Reserve Success", "Permit Wait"], ["X Permit Wait"]],
  [
    "when PreBind fails",
    { preBinds: [{ ...always, preBind: throwing }] },
    ["Reserve Success", "Permit Success", "PreBind Error", "Unreserve Success"],
    ["X PreBind Error"],
  ],
  [
    "when Bind fails",
    { binds: [{ ...always, bind: throwing }] },
    ["Reserve Success", "Permit Success", "PreBind Success", "Bind Error", "Unreserve Success"],
    ["X Bind Error"],
  ],
  [
    "when all binders skip",
    { binds: [{ ...always, bind: async () => "skip" }] },
    ["Reserve Success", "Permit Success", "PreBind Success", "Bind Skip", "Unreserve Success"],
    ["X Bind Skip"],
  ],
  [
    "when an extender binds",
    { binds: [{ name: "Extender", bind: async () => "bound" }] },
    ["Reserve Success", "Permit Success", "PreBind Success", "PostBind Success"],
    [],
  ],
])("points are measured as upstream: %s", async (_, plugins, points, executed) => {
  const world = setUp(plugins);
  try {
    world.start();
  } catch {
    // Plugins that fail in the turn of the decision are reported by the caller.
  }
  await world.clock.advanceAsync(0);
  expect([world.points(), world.executed()]).toEqual([points, executed]);
});

test.each<[string, Partial<Profile>, number]>([
  ["a rejection in the turn of the decision changes nothing", { permits: [rejecting] }, 1],
  ["a binding that failed gives a node back", { binds: [{ ...always, bind: throwing }] }, 0],
])("whether pods that wait for others to leave are tried again: %s", async (_, plugins, unschedulable) => {
  const { start, clock, queue, addWaiting } = setUp(plugins);
  addWaiting("other", ClusterEvent.PodDeleted);
  start();
  await clock.advanceAsync(0);
  const others = [...queue.pods()].filter(
    ({ info, place }) => info.key === "default/other" && place === "unschedulable",
  );
  expect(others.length).toBe(unschedulable);
});

test("pods that plugins name are activated when the pod was reserved, and again when it was bound", async () => {
  const { start, clock, queue, addWaiting } = setUp({
    permits: [
      {
        ...always,
        permit: (_, __, state) => {
          state.podsToActivate.add("default/first").add("default/unknown");
        },
      },
    ],
    postBinds: [{ ...always, postBind: (_, __, state) => void state.podsToActivate.add("default/second") }],
  });
  for (const name of ["first", "second"]) addWaiting(name, 0);
  const active = () => [...queue.pods()].flatMap(({ info, place }) => (place === "active" ? [info.key] : []));
  start();
  expect(active()).toEqual(["default/first"]);
  await clock.advanceAsync(0);
  expect(active()).toEqual(["default/first", "default/second"]);
});

const naming = (_: unknown, __: unknown, state: CycleState): undefined => {
  state.podsToActivate.add("default/other");
};
test.each<[string, Partial<Profile>]>([
  ["Permit rejects", { reserves: [{ ...always, reserve: naming, unreserve: () => undefined }], permits: [rejecting] }],
  ["the binding fails", { preBinds: [{ ...always, preBind: naming }], binds: [{ ...always, bind: throwing }] }],
])("pods that plugins name stay where they are if %s", async (_, plugins) => {
  const { start, clock, queue, addWaiting } = setUp(plugins);
  addWaiting("other", 0);
  start();
  await clock.advanceAsync(0);
  expect(queue.get("default/other")?.place).toBe("unschedulable");
});
