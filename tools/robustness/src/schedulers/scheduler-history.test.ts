import { expect, test } from "vitest";
import { checkSchedulers, type PodEvent, waitingInVain } from "./scheduler-history.ts";

const capacities = { n: 1, m: 1 };
const event = (revision: number, name: string, node: string, more: Partial<PodEvent> = {}): PodEvent => ({
  revision,
  uid: name,
  name,
  node,
  removed: false,
  ...more,
});

test.each<[string, readonly PodEvent[], readonly (string | RegExp)[]]>([
  ["a pod is bound once", [event(1, "p", ""), event(2, "p", "n"), event(3, "p", "n")], []],
  ["a pod moves", [event(1, "p", "n"), event(2, "p", "m")], [/^2: pod p \(p\) was on node n, and then on "m"$/]],
  ["a pod loses its node", [event(1, "p", "n"), event(2, "p", "")], [/and then on ""$/]],
  ["a node is full", [event(1, "p", "n"), event(2, "q", "m")], []],
  ["a node is beyond full", [event(1, "p", "n"), event(2, "q", "n")], ["2: node n has room for 1 pods, and has p, q"]],
  [
    "a pod takes the place of one that was removed",
    [event(1, "p", "n"), event(2, "p", "n", { removed: true }), event(3, "q", "n")],
    [],
  ],
  ["events arrive out of order", [event(3, "q", "n"), event(1, "p", "n"), event(2, "p", "n", { removed: true })], []],
  [
    "the next pod of the name is elsewhere",
    [event(1, "p", "n"), event(2, "p", "n", { removed: true }), event(3, "p", "m", { uid: "p2" })],
    [],
  ],
])("%s", (_, events, want) => {
  expect(checkSchedulers({ events, capacities })).toEqual(
    want.map((text) => (typeof text === "string" ? text : expect.stringMatching(text))),
  );
});

test("a pod may wait only if every node is full", () => {
  const full = [event(1, "p", "n"), event(2, "q", "m"), event(3, "r", "")];
  expect(waitingInVain({ events: full, capacities })).toEqual([]);
  const events = [...full, event(4, "p", "n", { removed: true })];
  expect(waitingInVain({ events, capacities })).toEqual(["pod r waits, although node n has room"]);
});
