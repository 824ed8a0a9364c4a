import { type ApiError, notFound } from "@orchernetes/apimachinery";
import type { AdmissionContext, MutatingAttributes } from "@orchernetes/apiserver";
import { expect, test } from "vitest";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import type { PluginSettings } from "./shared/plugin.ts";

type Phase = "Active" | "Terminating";

/** What the plugin says to writes: "" for nothing. Each server knows its own namespaces, in its cache and in the store. */
function server(known: { readonly cached?: Phase; readonly stored?: Phase }) {
  const plugin = "create" in namespaceLifecycle ? namespaceLifecycle.create({} as PluginSettings) : namespaceLifecycle;
  const namespace = (phase: Phase | undefined) => phase && { metadata: { name: "ns" }, status: { phase } };
  const store = {
    cached: () => namespace(known.cached),
    async get() {
      const found = namespace(known.stored);
      if (found === undefined) throw notFound({ group: "", plural: "namespaces" }, "ns");
      return found;
    },
  };
  return async (operation: string, over: object = {}, nowMs = 0): Promise<string> => {
    const attributes = {
      operation,
      resource: { group: "", version: "v1", resource: "secrets" },
      subresource: "",
      namespace: "ns",
      name: "s",
      object: { metadata: { name: "s" } },
      ...over,
    } as unknown as MutatingAttributes;
    const context = { registry: { forDefinition: () => store }, now: new Date(nowMs) } as unknown as AdmissionContext;
    try {
      await plugin.admit?.(attributes, context);
      return "";
    } catch (error) {
      return `${(error as ApiError).status.code} ${(error as Error).message}`;
    }
  };
}

const own = (resource: string) => ({ resource: { group: "", version: "v1", resource }, namespace: "", name: "ns" });
const review = { resource: { group: "authorization.o8s.io", version: "v1", resource: "localsubjectaccessreviews" } };
const missing = '404 namespaces "ns" not found';
const ending =
  '403 secrets "s" is forbidden: unable to create new content in namespace ns because it is being terminated';
const terminating = { cached: "Terminating", stored: "Terminating" } as const;

test.each<[string, Parameters<typeof server>[0], string, object, string]>([
  ["a create in an active namespace", { cached: "Active" }, "CREATE", {}, ""],
  ["a create in a namespace that the cache has not seen", { stored: "Active" }, "CREATE", {}, ""],
  ["a create without its namespace", {}, "CREATE", {}, missing],
  ["a create in a namespace that ends", terminating, "CREATE", {}, ending],
  ["an update in a namespace that ends", terminating, "UPDATE", {}, ""],
  ["an update of a subresource in a namespace that ends", terminating, "UPDATE", { subresource: "status" }, ""],
  ["an update without its namespace", {}, "UPDATE", {}, missing],
  ["a deletion without its namespace", {}, "DELETE", {}, ""],
  ["an access review without its namespace", {}, "CREATE", review, ""],
  ["an object without a namespace", {}, "CREATE", own("nodes"), ""],
  ["a namespace", {}, "CREATE", own("namespaces"), ""],
])("%s", async (_name, known, operation, over, want) => {
  expect(await server(known)(operation, over)).toBe(want);
});

test("after a namespace was deleted the store is asked, in case that the cache is late", async () => {
  const known = { cached: "Active", stored: "Terminating" } as const;
  const say = server(known);
  expect(await say("CREATE")).toBe("");
  expect(await say("DELETE", own("namespaces"))).toBe("");
  expect(await say("CREATE", {}, 29_999)).toBe(ending);
  expect(await say("CREATE", {}, 30_001)).toBe("");
});
