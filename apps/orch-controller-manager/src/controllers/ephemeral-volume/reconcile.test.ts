import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { claim } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { pod } from "../../testing/builders.ts";
import { reconcile } from "./reconcile.ts";

type Volume = NonNullable<core.PodSpec["volumes"]>[number];

const template = {
  metadata: { labels: { app: "x" }, annotations: { note: "y" } },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
} as const;
const ephemeral = (name: string): Volume => ({ name, ephemeral: { volumeClaimTemplate: template } });

function podWith(volumes: readonly Volume[], deleting = false): Stored<core.Pod> {
  const made = pod("p", { deleting });
  return { ...made, spec: { ...made.spec, volumes } };
}
const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "uid-p", controller: true, blockOwnerDeletion: true };
const owned = (name: string, uid = "uid-p") => {
  const made = claim(name);
  return { ...made, metadata: { ...made.metadata, ownerReferences: [{ ...owner, uid }] } };
};
const plan = (of: Stored<core.Pod>, ...known: readonly Stored<core.PersistentVolumeClaim>[]) =>
  reconcile({ pod: of, claimOf: (name) => known.find(({ metadata }) => metadata.name === name) }).actions;

test("a missing claim is made from its template, and the pod owns it", () => {
  expect(plan(podWith([{ name: "other", emptyDir: {} }, ephemeral("data")]))).toEqual([
    {
      type: "CreateClaim",
      volume: "data",
      claim: {
        metadata: { name: "p-data", namespace: "ns", ...template.metadata, ownerReferences: [owner] },
        spec: template.spec,
      },
    },
  ]);
});

test("claims that exist are left alone", () => {
  const created = plan(podWith([ephemeral("a"), ephemeral("b")]), owned("p-a"));
  expect(created).toMatchObject([{ type: "CreateClaim", volume: "b" }]);
  expect(plan(podWith([ephemeral("a")]), owned("p-a"))).toEqual([]);
});

test.each([
  ["of nobody", claim("p-a")],
  ["of an earlier pod of the same name", owned("p-a", "uid-before")],
])("a claim %s is not used, and the volumes after it wait", (_, other) => {
  expect(plan(podWith([ephemeral("a"), ephemeral("b")]), other)).toEqual([
    {
      type: "Refuse",
      message: "ephemeral volume a: PVC ns/p-a was not created for pod ns/p (pod is not owner)",
    },
  ]);
});

test("a pod that is being deleted gets no claims", () => {
  expect(plan(podWith([ephemeral("a")], true))).toEqual([]);
});
