import type { ApiObject, OwnerReference, Stored } from "@orchernetes/apimachinery";
import type { Lister } from "@orchernetes/client";
import { expect, test } from "vitest";
import { meta, pod as podOf } from "../../testing/builders.ts";
import { expectedScale, type ScaleSources } from "./expected-scale.ts";

type Scalable = ApiObject & { readonly spec: { readonly replicas?: number } };

const owner = (kind: string, name: string, apiVersion = "apps/v1"): OwnerReference => ({
  apiVersion,
  kind,
  name,
  uid: `uid-${name}`,
  controller: true,
});
const pod = (name: string, by?: OwnerReference) => podOf(name, by === undefined ? {} : { owner: by });
const sized = (name: string, replicas?: number, by?: OwnerReference): Stored<Scalable> => ({
  metadata: { ...meta(name), ...(by === undefined ? {} : { ownerReferences: [by] }) },
  spec: replicas === undefined ? {} : { replicas },
});
const lister = (...objects: readonly Stored<Scalable>[]): Lister<Scalable> =>
  ({
    get: (namespace: string, name: string) =>
      objects.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
  }) as unknown as Lister<Scalable>;

/** Sources in which another kind has no scale unless `lookup` says otherwise. */
const sources = (
  replicaSets: Lister<Scalable>,
  deployments: Lister<Scalable> = lister(),
  lookup: ScaleSources["lookup"] = () => Promise.resolve({ scale: undefined }),
): ScaleSources => ({
  listers: { "ReplicaSet.apps": replicaSets, "Deployment.apps": deployments },
  lookup,
});

test("each controller is counted once, however many pods it has", async () => {
  const pods = [
    pod("a", owner("ReplicaSet", "r")),
    pod("b", owner("ReplicaSet", "r")),
    pod("c", owner("ReplicaSet", "s")),
  ];
  const of = sources(lister(sized("r", 5), sized("s", 0), sized("t", 9)));
  expect(await expectedScale(pods, of)).toEqual({ type: "known", count: 5, unmanaged: [] });
  expect(await expectedScale([], of)).toEqual({ type: "known", count: 0, unmanaged: [] });
});

test("a controller without a size has one pod", async () => {
  const of = sources(lister(sized("r")));
  expect(await expectedScale([pod("a", owner("ReplicaSet", "r"))], of)).toMatchObject({ count: 1 });
});

test("in the middle of a rollout the deployment counts, and its two replica sets do not", async () => {
  const by = owner("Deployment", "d");
  const of = sources(lister(sized("old", 3, by), sized("new", 2, by)), lister(sized("d", 4)));
  const pods = [pod("a", owner("ReplicaSet", "old")), pod("b", owner("ReplicaSet", "new"))];
  expect(await expectedScale(pods, of)).toMatchObject({ type: "known", count: 4 });
});

test("pods without a controller are named and not counted", async () => {
  const of = sources(lister(sized("r", 2)));
  expect(await expectedScale([pod("alone"), pod("a", owner("ReplicaSet", "r"))], of)).toEqual({
    type: "known",
    count: 2,
    unmanaged: ["alone"],
  });
});

test.each([
  ["does not exist", sources(lister())],
  ["was made again under its name", sources(lister({ ...sized("r", 2), metadata: { ...meta("r"), uid: "other" } }))],
  ["belongs to a deployment that does not exist", sources(lister(sized("r", 2, owner("Deployment", "gone"))))],
])("the scale is unknown if the controller %s", async (_, of) => {
  expect(await expectedScale([pod("a", owner("ReplicaSet", "r"))], of)).toEqual({
    type: "failed",
    message: 'found no controllers for pod "a"',
  });
});

test("other kinds, also those of the same name in another group, are asked once for their scale", async () => {
  const asked: string[] = [];
  const of = sources(lister(sized("r", 9)), lister(), ({ group, version, kind }, namespace) => {
    asked.push(`${kind}.${version}.${group} in ${namespace}`);
    return Promise.resolve({ scale: { uid: `uid-${kind}-${group}`, replicas: 3 }, keptForMs: asked.length * 1000 });
  });
  const thing = owner("Thing", "t", "v1");
  const pods = [pod("a", owner("ReplicaSet", "r", "example.com/v2")), pod("b", thing), pod("c", thing)];
  expect(await expectedScale(pods, of)).toEqual({ type: "known", count: 6, unmanaged: [], recheckMs: 1000 });
  expect(asked).toEqual(["ReplicaSet.v2.example.com in ns", "Thing.v1. in ns"]);
});

test("a lookup that fails makes the scale unknown for its reason", async () => {
  const of = sources(lister(), lister(), () => Promise.reject(new Error("no answer")));
  expect(await expectedScale([pod("a", owner("Thing", "t"))], of)).toEqual({ type: "failed", message: "no answer" });
});
