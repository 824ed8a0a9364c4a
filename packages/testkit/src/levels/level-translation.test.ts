import { expect, test } from "vitest";
import { newAtOld, oldAtNew, sameLevel } from "./level-translation.ts";

const PATH = "/apis/policy/v1/poddisruptionbudgets";

test.each([
  [`${PATH}?watch=true`, "/apis/policy/v1beta1/poddisruptionbudgets?watch=true"],
  ["/apis/policy/v1/namespaces/a/poddisruptionbudgets/b", "/apis/policy/v1beta1/namespaces/a/poddisruptionbudgets/b"],
  ["/apis/storage.o8s.io/v1/csistoragecapacities", "/apis/storage.o8s.io/v1alpha1/csistoragecapacities"],
])("a new scheduler asks an old server for %s", (asked, want) => {
  expect(newAtOld(asked)?.toServer(asked)).toBe(want);
});

test.each([
  "/apis/storage.o8s.io/v1/csinodes",
  "/apis/storagexo8s.io/v1/csistoragecapacities",
  "/api/v1/pods?watch=true",
])("%s is passed on as it is", (asked) => {
  expect([newAtOld(asked), oldAtNew(asked), sameLevel(asked)]).toEqual([undefined, undefined, undefined]);
});

test("lists and events have the version that the scheduler asked for, and bodies keep their text", () => {
  const list = (apiVersion: string) => JSON.stringify({ kind: "PodDisruptionBudgetList", apiVersion, items: [] });
  const event = (apiVersion: string) => JSON.stringify({ type: "ADDED", object: { apiVersion } });
  const [up, down] = [newAtOld(PATH), oldAtNew("/apis/policy/v1beta1/poddisruptionbudgets?limit=500")];
  expect(up?.toClient(list("policy/v1beta1"))).toBe(list("policy/v1"));
  expect(up?.toServer(JSON.stringify({ path: PATH }))).toBe(JSON.stringify({ path: PATH }));
  expect(down?.toClient(event("policy/v1"))).toBe(event("policy/v1beta1"));
  expect(down?.toClient(event("v1"))).toBe(event("v1"));
  expect(down?.toServer("/apis/policy/v1beta1/poddisruptionbudgets?limit=500")).toBe(`${PATH}?limit=500`);
});
