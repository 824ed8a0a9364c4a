import { expect, test } from "vitest";
import { newAtOld, oldAtNew } from "./level-translation.ts";

test.each([
  ["/apis/policy/v1/poddisruptionbudgets?watch=true", "/apis/policy/v1beta1/poddisruptionbudgets?watch=true"],
  ["/apis/policy/v1/namespaces/a/poddisruptionbudgets/b", "/apis/policy/v1beta1/namespaces/a/poddisruptionbudgets/b"],
  ["/apis/storage.o8s.io/v1/csistoragecapacities", "/apis/storage.o8s.io/v1alpha1/csistoragecapacities"],
  ["/apis/storage.o8s.io/v1/csinodes", "/apis/storage.o8s.io/v1/csinodes"],
  ["/apis/storagexo8s.io/v1/csistoragecapacities", "/apis/storagexo8s.io/v1/csistoragecapacities"],
  ['{"path":"/apis/policy/v1/poddisruptionbudgets"}', '{"path":"/apis/policy/v1/poddisruptionbudgets"}'],
])("a new scheduler asks an old server for %s", (asked, want) => {
  expect(newAtOld.toServer(asked)).toBe(want);
});

test("lists and events have the version that the scheduler asked for", () => {
  const list = (apiVersion: string) => JSON.stringify({ kind: "PodDisruptionBudgetList", apiVersion, items: [] });
  const event = (apiVersion: string) => JSON.stringify({ type: "ADDED", object: { apiVersion } });
  expect(newAtOld.toClient(list("policy/v1beta1"))).toBe(list("policy/v1"));
  expect(oldAtNew.toClient(event("policy/v1"))).toBe(event("policy/v1beta1"));
  expect(oldAtNew.toClient(event("v1"))).toBe(event("v1"));
  expect(oldAtNew.toServer("/apis/policy/v1beta1/poddisruptionbudgets?limit=500")).toBe(
    "/apis/policy/v1/poddisruptionbudgets?limit=500",
  );
});
