import type { ObjectMeta, OwnerReference } from "@orchernetes/apimachinery";
import { describe, expect, test } from "vitest";
import { type GraphNode, type Identity, OwnerGraph } from "./graph.ts";
import { type OwnerState, reconcile } from "./reconcile.ts";

const identity = (uid: string, namespace = "ns"): Identity => ({
  apiVersion: "v1",
  kind: "Thing",
  namespace,
  name: uid,
  uid,
});
const owner = (uid: string, blockOwnerDeletion = false): OwnerReference => ({
  apiVersion: "v1",
  kind: "Thing",
  name: uid,
  uid,
  blockOwnerDeletion,
});
const leaving = (...finalizers: readonly string[]): ObjectMeta => ({ deletionTimestamp: "t", finalizers });
const owned = (...ownerReferences: readonly OwnerReference[]): ObjectMeta => ({ ownerReferences });

function start() {
  const log: string[] = [];
  const graph = new OwnerGraph({
    attemptToDelete: ({ identity: { uid } }) => void log.push(`delete? ${uid}`),
    attemptToOrphan: ({ identity: { uid } }) => void log.push(`orphan ${uid}`),
    invalidOwner: ({ identity: { uid } }, reference) => void log.push(`invalid ${uid} of ${reference.uid}`),
  });
  const see = (uid: string, metadata: ObjectMeta = {}, namespace = "ns"): void =>
    graph.observe(identity(uid, namespace), metadata);
  return { graph, log, see };
}

describe("the graph enqueues", () => {
  test.each<[string, (world: ReturnType<typeof start>) => void, readonly string[]]>([
    [
      "nothing while owners live",
      ({ see }) => {
        see("a");
        see("b", owned(owner("a")));
      },
      [],
    ],
    ["an owner that was never seen", ({ see }) => see("b", owned(owner("a"))), ["delete? a"]],
    [
      "dependents of what is gone",
      ({ see, graph }) => {
        see("a");
        see("b", owned(owner("a")));
        graph.remove("a");
      },
      ["delete? b"],
    ],
    [
      "dependents of what waits for them, and itself",
      ({ see }) => {
        see("a");
        see("b", owned(owner("a", true)));
        see("a", leaving("foregroundDeletion"));
        see("a", leaving("foregroundDeletion"));
      },
      ["delete? b", "delete? a"],
    ],
    [
      "what waits, when a dependent is gone",
      ({ see, graph }) => {
        see("a", leaving("foregroundDeletion"));
        see("b", owned(owner("a", true)));
        graph.remove("b");
      },
      ["delete? a", "delete? a"],
    ],
    [
      "what waits, when a dependent no longer blocks it",
      ({ see }) => {
        see("a", leaving("foregroundDeletion"));
        see("b", owned(owner("a", true)));
        see("b", owned(owner("a")));
      },
      ["delete? a", "delete? a"],
    ],
    [
      "what orphans its dependents, once",
      ({ see }) => {
        see("a");
        see("a", leaving("orphan"));
        see("a", leaving("orphan"));
      },
      ["orphan a"],
    ],
    [
      "an owner in another namespace",
      ({ see }) => {
        see("a", {}, "elsewhere");
        see("b", owned(owner("a")));
      },
      ["invalid b of a", "delete? b"],
    ],
    [
      "an owner seen later, in another namespace",
      ({ see }) => {
        see("b", owned(owner("a")));
        see("a", {}, "elsewhere");
      },
      ["delete? a", "invalid b of a", "delete? b"],
    ],
    [
      "a cluster-scoped owner: nothing",
      ({ see }) => {
        see("a", {}, "");
        see("b", owned(owner("a")));
      },
      [],
    ],
    [
      "a new owner unknown",
      ({ see }) => {
        see("b");
        see("b", owned(owner("a")));
      },
      ["delete? a"],
    ],
  ])("%s", (_, act, want) => {
    const world = start();
    act(world);
    expect(world.log).toEqual(want);
  });

  test("a virtual owner without dependents is removed", () => {
    const { graph, see } = start();
    see("b", owned(owner("a")));
    expect(graph.size).toBe(2);
    see("b", owned());
    expect(graph.size).toBe(1);
    see("b", owned(owner("a")));
    graph.remove("b");
    expect(graph.size).toBe(0);
  });
});

describe("an object is", () => {
  const node = (uid: string, more: Partial<GraphNode> = {}): GraphNode => ({
    identity: identity(uid),
    owners: [],
    dependents: new Set(),
    beingDeleted: false,
    deletingDependents: false,
    virtual: false,
    ...more,
  });
  const child = node("child", { owners: [owner("x", true)] });
  const waitingChild = node("child", { deletingDependents: true });
  test.each<[string, Partial<GraphNode>, Readonly<Record<string, OwnerState>>, readonly string[], readonly object[]]>([
    ["left alone without owners", {}, {}, [], []],
    ["left alone with an owner", {}, { a: "exists" }, [], []],
    ["deleted without the last owner", {}, { a: "absent" }, [], [{ type: "Delete", policy: "Background" }]],
    [
      "freed of owners that are gone",
      {},
      { a: "exists", b: "absent", c: "waiting" },
      [],
      [{ type: "RemoveOwners", uids: ["b", "c"] }],
    ],
    ["deleted for an owner that waits", {}, { a: "waiting" }, [], [{ type: "Delete", policy: "Background" }]],
    [
      "deleted with its own dependents first",
      { dependents: new Set([child]) },
      { a: "waiting" },
      [],
      [{ type: "Delete", policy: "Foreground" }],
    ],
    [
      "deleted out of a circle",
      { dependents: new Set([waitingChild]) },
      { a: "waiting" },
      [],
      [{ type: "UnblockOwners" }, { type: "Delete", policy: "Foreground" }],
    ],
    ["deleted as its finalizer says", {}, { a: "absent" }, ["orphan"], [{ type: "Delete", policy: "Orphan" }]],
    ["left alone while it goes", { beingDeleted: true }, { a: "absent" }, [], []],
    [
      "let go without dependents",
      { beingDeleted: true, deletingDependents: true },
      {},
      [],
      [{ type: "RemoveFinalizer", finalizer: "foregroundDeletion" }],
    ],
    [
      "kept while dependents block it",
      { beingDeleted: true, deletingDependents: true, dependents: new Set([child]) },
      {},
      [],
      [{ type: "Enqueue", nodes: [child] }],
    ],
  ])("%s", (_, sketch, owners, finalizers, want) => {
    const ownerReferences = Object.keys(owners).map((uid) => owner(uid));
    const { actions } = reconcile({
      node: node("x", sketch),
      latest: {
        metadata: { name: "x", uid: "x", resourceVersion: "1", creationTimestamp: "t", finalizers, ownerReferences },
      },
      ownerState: ({ uid }) => owners[uid] ?? "absent",
    });
    expect(actions).toEqual(want);
  });
});
