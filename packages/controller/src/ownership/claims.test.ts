import { type ApiObject, labelSelectorAsSelector, type Stored } from "@orchernetes/apimachinery";
import { createClient, type ResourceRef } from "@orchernetes/client";
import { startFakeApiServer } from "@orchernetes/client/testing";
import { describe, expect, test } from "vitest";
import { carryOutClaims } from "./carry-out-claims.ts";
import { planClaims } from "./claims.ts";

const sets: ResourceRef = {
  group: "apps",
  version: "v1",
  plural: "replicasets",
  kind: "ReplicaSet",
  scope: "Namespaced",
};
const pods: ResourceRef = { group: "", version: "v1", plural: "pods", kind: "Pod", scope: "Namespaced" };
const selector = labelSelectorAsSelector({ matchLabels: { app: "x" } });
const meta = (name: string, more: Partial<Stored<ApiObject>["metadata"]> = {}): Stored<ApiObject> => ({
  metadata: { name, namespace: "a", uid: `uid-${name}`, resourceVersion: "1", creationTimestamp: "", ...more },
});
const owner = meta("rs");
const controlledBy = (uid: string) => ({
  ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "rs", uid, controller: true }],
});
const selected = { labels: { app: "x" } };

describe("planClaims", () => {
  test.each([
    ["owned and selected", owner, meta("p", { ...selected, ...controlledBy("uid-rs") }), "owned"],
    ["owned, not selected", owner, meta("p", controlledBy("uid-rs")), "release"],
    ["another's", owner, meta("p", { ...selected, ...controlledBy("uid-other") }), "none"],
    ["nobody's and selected", owner, meta("p", selected), "adopt"],
    ["nobody's, not selected", owner, meta("p"), "none"],
    ["in another namespace", owner, meta("p", { ...selected, namespace: "b" }), "none"],
    ["being deleted", owner, meta("p", { ...selected, deletionTimestamp: "t" }), "none"],
    ["the owner leaves: adoption", meta("rs", { deletionTimestamp: "t" }), meta("p", selected), "none"],
    ["the owner leaves: release", meta("rs", { deletionTimestamp: "t" }), meta("p", controlledBy("uid-rs")), "none"],
  ])("%s", (_, by, candidate, want) => {
    const claims = planClaims(by, selector, [candidate]);
    const got = Object.entries(claims).find(([, list]) => list.length > 0)?.[0] ?? "none";
    expect(got).toBe(want);
  });
});

test("adoption and release patch only the object with the uid that was seen", async () => {
  const server = await startFakeApiServer();
  const client = createClient({ server: server.url });
  server.put("/apis/apps/v1/replicasets", { metadata: { ...owner.metadata } });
  for (const name of ["p", "q"]) server.put("/api/v1/pods", { metadata: { name, namespace: "a", uid: `uid-${name}` } });
  const claims = { owned: [], adopt: [meta("p"), meta("gone")], release: [meta("q")] };
  const all = await carryOutClaims(claims, { client, ownerRef: sets, owner, ref: pods });
  expect(all.map(({ metadata }) => metadata.name)).toEqual(["p"]);
  expect(all[0]?.metadata.ownerReferences).toEqual([
    {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      name: "rs",
      uid: "uid-rs",
      controller: true,
      blockOwnerDeletion: true,
    },
  ]);
  expect(JSON.parse(server.requests.at(-1)?.body ?? "")).toEqual({
    metadata: { ownerReferences: [{ $patch: "delete", uid: "uid-rs" }], uid: "uid-q" },
  });
  client.close();
  await server.close();
});

test.each([
  ["was created again", { uid: "uid-new" }, /created again/],
  ["is being deleted", { deletionTimestamp: "t", finalizers: ["x"] }, /terminating/],
])("nothing is adopted when the owner %s", async (_, change, want) => {
  const server = await startFakeApiServer();
  const client = createClient({ server: server.url });
  server.put("/apis/apps/v1/replicasets", { metadata: { ...owner.metadata, ...change } });
  const claims = { owned: [], adopt: [meta("p")], release: [] };
  await expect(carryOutClaims(claims, { client, ownerRef: sets, owner, ref: pods })).rejects.toThrow(want);
  client.close();
  await server.close();
});
