import type * as v1beta1 from "@orchernetes/api/admissionregistration/v1beta1";
import { notFound } from "@orchernetes/apimachinery";
import type { Registry, ResourceStore } from "@orchernetes/apiserver";
import { expect, test } from "vitest";
import { paramStore, paramsOf } from "./params.ts";

const objects = ["ns/a", "ns/b", "other/a"].map((key) => {
  const [namespace = "", name = ""] = key.split("/");
  return { metadata: { namespace, name } };
});

/** A store whose cache lags behind. */
function storeOf(scope: "Namespaced" | "Cluster", verbs = ["list"]): ResourceStore {
  const store = {
    definition: { scope, verbs },
    cached: () => undefined,
    async get(ref: { readonly namespace: string; readonly name: string }) {
      if (ref.name === "broken") throw new Error("the store is away");
      const found = objects.find(
        ({ metadata }) => metadata.name === ref.name && (ref.namespace === "" || metadata.namespace === ref.namespace),
      );
      if (found === undefined) throw notFound({ group: "", plural: "configmaps" }, ref.name);
      return found;
    },
    recentList: ({ namespace, labelSelector }: { readonly namespace?: string; readonly labelSelector?: string }) =>
      objects.filter(({ metadata }) => labelSelector === "x=y" && (!namespace || metadata.namespace === namespace)),
  };
  return store as unknown as ResourceStore;
}

const namespaced = storeOf("Namespaced");
const deny = { parameterNotFoundAction: "Deny" } as const;
const x = { matchLabels: { x: "y" } };

test.each<readonly [ResourceStore | undefined, v1beta1.ParamRef | undefined, string, unknown]>([
  [undefined, { name: "a" }, "ns", ["none"]],
  [namespaced, undefined, "ns", ["none"]],
  [namespaced, { name: "a", ...deny }, "ns", ["ns/a"]],
  [namespaced, { name: "a", namespace: "other", ...deny }, "ns", ["other/a"]],
  [
    namespaced,
    { name: "a", ...deny },
    "",
    "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources",
  ],
  [namespaced, { name: "c", ...deny }, "ns", "c not found"],
  [namespaced, { name: "c", parameterNotFoundAction: "Allow" }, "ns", []],
  [namespaced, { name: "broken", parameterNotFoundAction: "Allow" }, "ns", "the store is away"],
  [namespaced, { selector: x, ...deny }, "ns", ["ns/a", "ns/b"]],
  [
    namespaced,
    { selector: x, ...deny },
    "empty",
    "no params found for policy binding with `Deny` parameterNotFoundAction",
  ],
  [storeOf("Cluster"), { name: "b", ...deny }, "ns", ["ns/b"]],
  [storeOf("Cluster"), { selector: x, ...deny }, "ns", ["ns/a", "ns/b", "other/a"]],
  [
    storeOf("Cluster"),
    { name: "b", namespace: "ns" },
    "ns",
    "paramRef.namespace must not be provided for a cluster-scoped `paramKind`",
  ],
])("%# parameters of %j in namespace %j", async (store, ref, namespace, want) => {
  const found = await paramsOf(store, ref, { namespace }, { signal: new AbortController().signal }).then(
    (params) =>
      params.map((param) => (param === undefined ? "none" : `${param.metadata.namespace}/${param.metadata.name}`)),
    (error: Error) => error.message,
  );
  expect(found).toEqual(want);
});

test.each([
  ["v1", "/v1, Kind=Thing"],
  ["example.com/v1", "example.com/v1, Kind=Thing"],
])("a kind of %s that is not served, or not stored", (apiVersion, named) => {
  const message = `failed to find resource referenced by paramKind: '${named}'`;
  for (const store of [undefined, storeOf("Cluster", ["create"])]) {
    const registry = { lookupKind: () => store } as unknown as Registry;
    expect(() => paramStore({ apiVersion, kind: "Thing" }, registry)).toThrow(message);
  }
  const registry = { lookupKind: () => namespaced } as unknown as Registry;
  expect(paramStore({ apiVersion, kind: "Thing" }, registry)).toBe(namespaced);
});
