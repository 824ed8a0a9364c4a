import { expect, test } from "vitest";
import { referenceTo } from "../events/object-reference.ts";
import { resourcePath } from "./resource-ref.ts";

const pods = { group: "", version: "v1", plural: "pods", kind: "Pod" };
const deployments = { group: "apps", version: "v1", plural: "deployments", kind: "Deployment" };

test.each([
  ["/api/v1/pods", pods, undefined, undefined, undefined],
  ["/api/v1/pods", pods, "", undefined, undefined],
  ["/api/v1/namespaces/a/pods", pods, "a", undefined, undefined],
  ["/api/v1/namespaces/a/pods/x", pods, "a", "x", undefined],
  ["/apis/apps/v1/namespaces/a/deployments/x/scale", deployments, "a", "x", "scale"],
  ["/api/v1/namespaces/a/pods/x%2F..%2Fy", pods, "a", "x/../y", undefined],
  ["/api/v1/namespaces/a%3Fb%23/pods/system%3Anode", pods, "a?b#", "system:node", undefined],
  ["/api/v1/namespaces/a/pods/", pods, "a", "", undefined],
])("%s", (want, ref, namespace, name, subresource) => {
  expect(resourcePath(ref, namespace, name, subresource)).toBe(want);
});

test("a reference names the object as it was, and omits what the object does not have", () => {
  const metadata = { name: "x", namespace: "a", uid: "u", resourceVersion: "7" };
  expect(referenceTo(deployments, { metadata }, "spec.containers{c}")).toEqual({
    kind: "Deployment",
    apiVersion: "apps/v1",
    name: "x",
    namespace: "a",
    uid: "u",
    resourceVersion: "7",
    fieldPath: "spec.containers{c}",
  });
  expect(referenceTo(pods, { metadata: { name: "n", namespace: "" } })).toEqual({
    kind: "Pod",
    apiVersion: "v1",
    name: "n",
  });
});
