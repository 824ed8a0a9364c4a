import { expect, test } from "vitest";
import type { Facts } from "../facts/facts.ts";
import { daemonSet, deployment, historyOf, pod, removed, replicaSet, statefulSet } from "../history/testing.ts";
import { checkControllers } from "./check-controllers.ts";

type Steps = readonly (Facts | { readonly removed: Facts })[];

const rs = replicaSet();
const three = ["a", "b", "c"].map((name) => pod(name, rs));
const [a, b, c] = three as [(typeof three)[0], (typeof three)[0], (typeof three)[0]];
const leaving = { terminating: true };

const web = deployment();
const old = replicaSet({ owner: "web", name: "web-1", uid: "web-1", available: 3 });
const fresh = replicaSet({ owner: "web", name: "web-2", uid: "web-2", version: "v2", replicas: 1 });
const webPods = ["x", "y", "z"].map((name) => pod(name, old));
const rolled = deployment({ generation: 2, version: "v2" });
const complete: Steps = [web, old, ...webPods, old];

const db = statefulSet();
const member = (ordinal: number, fields = {}) => pod(`db-${ordinal}`, db, { uid: `db-${ordinal}-u`, ...fields });
const renewed = statefulSet({ generation: 2, version: "v2" });

const agent = daemonSet();
const onNode = (name: string, node: string, fields = {}) => pod(name, agent, { node, ...fields });
const agents = [onNode("p1", "n1"), onNode("p2", "n2"), onNode("p3", "n3")];
const running = daemonSet({ available: 3 });
const surging = daemonSet({ available: 3, generation: 2, version: "v2", surge: 1, unavailable: 0 });
const seen = { ...surging, observed: 2 };
const replaced = daemonSet({ available: 3, generation: 2, version: "v2" });

test.each<[string, Steps]>([
  ["a set that gets its pods", [rs, ...three]],
  [
    "a pod more by a size that was not observed yet",
    [rs, ...three, replicaSet({ generation: 2, replicas: 2 }), removed(a), a],
  ],
  ["deletions down to the size", [rs, ...three, replicaSet({ generation: 2, replicas: 2 }), { ...a, ...leaving }]],
  ["a replacement of a pod that somebody deleted", [rs, ...three, { ...a, ...leaving, disrupted: true }, pod("d", rs)]],
  [
    "a deletion by a controller that does not know of another one",
    [
      rs,
      ...three,
      replicaSet({ generation: 2, replicas: 2 }),
      { ...a, disrupted: true, ...leaving },
      { ...b, ...leaving },
    ],
  ],
  [
    "a rollout within its limits",
    [...complete, rolled, fresh, { ...old, replicas: 2 }, { ...pod("x", old), ...leaving }],
  ],
  ["an update of a template in order", [db, member(0), member(1), member(2), renewed, member(2, leaving)]],
  [
    "a scaling down from the last",
    [db, member(0), member(1), statefulSet({ generation: 2, replicas: 1 }), member(1, leaving)],
  ],
  [
    "parallel creation and deletion",
    [
      statefulSet({ ordered: false }),
      member(2),
      member(0),
      statefulSet({ ordered: false, generation: 2, replicas: 0 }),
      member(0, leaving),
    ],
  ],
  [
    "a pod below the partition from the old template",
    [db, statefulSet({ generation: 2, version: "v2", partition: 1 }), member(0)],
  ],
  [
    "a failed pod that is created again",
    [db, member(0, { phase: "Failed" }), removed(member(0)), member(0, { uid: "again" })],
  ],
  [
    "more second pods than maxSurge where the old ones were not available when the controller decided",
    [
      ...[daemonSet({ observed: 0, surge: 1, unavailable: 0 }), ...agents, { ...surging, observed: 0 }],
      ...[onNode("q1", "n1", { version: "v2" }), onNode("q2", "n2", { version: "v2" })],
    ],
  ],
  ["a DaemonSet's update", [agent, ...agents, running, replaced, { ...agents[0], ...leaving } as Facts]],
  [
    "a second pod on a node by maxSurge",
    [agent, ...agents, running, surging, onNode("q1", "n1", { version: "v2" }), { ...agents[0], ...leaving } as Facts],
  ],
])("accepts %s", (_, steps) => {
  expect(checkControllers(historyOf(steps))).toEqual([]);
});

test.each<[string, Steps, string]>([
  ["a pod too many of a ReplicaSet", [rs, ...three, pod("d", rs)], "one of 4 active pods of rs, which should have 3"],
  [
    "a pod by a size that was observed to be no longer valid",
    [rs, ...three, replicaSet({ generation: 2, observed: 2, replicas: 2 }), { ...a, ...leaving }, pod("d", rs)],
    "one of 3 active pods of rs, which should have 2",
  ],
  ["a deletion too many", [rs, ...three, { ...a, ...leaving }], "leaves 2 active pods of rs, which should have 3"],
  ["a removal at once", [rs, ...three, removed(a)], "leaves 2 active pods of rs"],
  [
    "more than maxSurge",
    [...complete, rolled, replicaSet({ ...fresh, replicas: 2 })],
    "scaled up to 2, which makes 5 pods of web; 4 are allowed",
  ],
  [
    "a second ReplicaSet for a template",
    [...complete, replicaSet({ owner: "web", uid: "twin", replicas: 0 })],
    "which web-1 has",
  ],
  [
    "fewer available pods than maxUnavailable allows",
    [...complete, rolled, { ...old, replicas: 1 }, pod("x", old, leaving), pod("y", old, leaving)],
    "leaves 1 available pods of web, of which 2 must be",
  ],
  [
    "a second pod of an ordinal",
    [db, member(0), pod("db-0", db, { uid: "twin" })],
    "created while another pod of ordinal 0 exists",
  ],
  [
    "an ordinal before those below it",
    [db, member(0, { ready: false }), member(1)],
    "created from template v1, for which db had no reason",
  ],
  ["an ordinal beyond the size", [db, member(0), member(1), member(2), member(3)], "for which db had no reason"],
  [
    "a pod of an old template",
    [renewed, statefulSet({ ...renewed, observed: 2 }), member(0)],
    "created from template v1",
  ],
  [
    "a deletion without a reason",
    [db, member(0), member(1), member(2), member(1, leaving)],
    "deleted with template v1",
  ],
  [
    "an update out of order",
    [db, member(0), member(1), member(2), renewed, member(1, leaving)],
    "deleted with template v1",
  ],
  [
    "an update below the partition",
    [db, member(0), statefulSet({ generation: 2, version: "v2", partition: 3, observed: 2 }), member(0, leaving)],
    "deleted with template v1",
  ],
  [
    "a scaling down out of order",
    [db, member(0), member(1), member(2), statefulSet({ generation: 2, replicas: 0 }), member(1, leaving)],
    "deleted with template v1",
  ],
  ["a name that is none of the set's", [db, pod("db-x", db)], "not a name of the set db"],
  ["a second daemon on a node", [agent, ...agents, onNode("p4", "n1")], "created on node n1, which has 1 of agent"],
  ["a daemon of an unknown template", [agent, onNode("p1", "n1", { version: "v7" })], "created from template v7"],
  [
    "more than maxUnavailable",
    [agent, ...agents, running, replaced, onNode("p1", "n1", leaving), onNode("p2", "n2", leaving)],
    "leaves 1 nodes with an available pod of agent, 2 must have one",
  ],
  [
    "more than maxSurge of a DaemonSet",
    [agent, ...agents, running, seen, onNode("q1", "n1", { version: "v2" }), onNode("q2", "n2", { version: "v2" })],
    "which makes 2 nodes with two pods of agent; 1 are allowed",
  ],
  [
    "a third pod on a node",
    [agent, ...agents, running, surging, onNode("q1", "n1", { version: "v2" }), onNode("q2", "n1", { version: "v2" })],
    "created on node n1, which has 2 of agent",
  ],
])("finds %s", (_, steps, want) => {
  expect(checkControllers(historyOf(steps)).join("\n")).toContain(want);
});

test("does not judge what happened in a gap of the history", () => {
  const steps = [rs, ...three, pod("d", rs)];
  expect(checkControllers(historyOf(steps, [{ after: 4, until: 5 }]))).toEqual([]);
  expect(checkControllers(historyOf(steps, [{ after: 2, until: 4 }]))).toHaveLength(1);
});

test("orders events by their revision", () => {
  const { events } = historyOf([
    rs,
    ...three,
    { ...c, disrupted: true },
    { ...c, disrupted: true, ...leaving },
    pod("d", rs),
  ]);
  expect(checkControllers({ events: events.toReversed(), gaps: [] })).toEqual([]);
});
