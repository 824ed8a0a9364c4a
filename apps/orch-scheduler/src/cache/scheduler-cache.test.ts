import { node, pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { podInfo } from "./pod-info.ts";
import { SchedulerCache } from "./scheduler-cache.ts";

const p = pod("p").uid("1").requests({ cpu: "1" });
const info = podInfo(p.build());

function setUp() {
  const cache = new SchedulerCache();
  cache.nodes.setNode(node("a").build());
  cache.nodes.setNode(node("b").build());
  const counted = () => ["a", "b"].map((name) => cache.nodes.podCount[cache.nodes.slotOf(name) ?? -1]);
  return { cache, counted };
}

test.each<[string, (cache: SchedulerCache) => void, number[], number]>([
  ["assumed", () => undefined, [1, 0], 1],
  ["forgotten", (cache) => expect(cache.forget(info)).toBe(true), [0, 0], 0],
  ["seen where it was assumed", (cache) => cache.place(p.on("a").build(), "a"), [1, 0], 0],
  ["seen elsewhere", (cache) => cache.place(p.on("b").build(), "b"), [0, 1], 0],
  ["deleted before it was seen bound", (cache) => void cache.remove(p.build()), [0, 0], 0],
  ["deleted, last seen on another node", (cache) => void cache.remove(p.on("b").build()), [0, 0], 0],
  [
    "confirmed, then forgotten late",
    (cache) => {
      cache.place(p.on("a").build(), "a");
      expect(cache.forget(info)).toBe(false);
    },
    [1, 0],
    0,
  ],
  [
    "created again and assumed again, then forgotten by the old attempt",
    (cache) => {
      cache.remove(p.build());
      cache.assume(podInfo(p.uid("2").build()), "a");
      expect(cache.forget(info)).toBe(false);
    },
    [1, 0],
    1,
  ],
])("a pod %s", (_, act, want, assumed) => {
  const { cache, counted } = setUp();
  cache.assume(info, "a");
  act(cache);
  expect(counted()).toEqual(want);
  expect(cache.assumedCount).toBe(assumed);
});

test("an assumed pod is identified by its UID", () => {
  const { cache } = setUp();
  cache.assume(info, "a");
  expect([cache.isAssumed("default/p", "1"), cache.isAssumed("default/p", "2")]).toEqual([true, false]);
});

test("late events about a deleted pod do not end the assumption of the next pod with the same name", () => {
  const { cache, counted } = setUp();
  cache.assume(info, "a");
  cache.place(p.on("a").build(), "a");
  cache.remove(p.on("a").build());
  cache.assume(podInfo(p.uid("2").build()), "b");
  expect(cache.forget(info)).toBe(false);
  expect(counted()).toEqual([0, 1]);
});
