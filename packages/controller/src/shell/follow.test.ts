import type { ApiObject } from "@orchernetes/apimachinery";
import { createClient, createInformerFactory, type ResourceRef } from "@orchernetes/client";
import { startFakeApiServer } from "@orchernetes/client/testing";
import { expect, test, vi } from "vitest";
import { Expectations } from "./expectations.ts";
import { followDependents } from "./follow.ts";

const ref = (plural: string, kind: string): ResourceRef<ApiObject> => {
  return { group: "", version: "v1", plural, kind, scope: "Namespaced" };
};

test("a dependent that is being deleted when it is first seen counts as created", async () => {
  const server = await startFakeApiServer();
  const stop = new AbortController();
  const client = createClient({ server: server.url });
  try {
    const { metadata: owner } = server.put("/api/v1/sets", { metadata: { name: "a", namespace: "ns" } });
    const informers = createInformerFactory(client);
    const owners = informers.informer(ref("sets", "Set"));
    const dependents = informers.informer(ref("pods", "Pod"));
    const expectations = new Expectations();
    const woken: string[] = [];
    followDependents({ owners, dependents, expectations, enqueue: ({ metadata }) => void woken.push(metadata.name) });
    informers.start(stop.signal);
    await Promise.all([owners.waitForSync(stop.signal), dependents.waitForSync(stop.signal)]);
    expectations.expectCreations("ns/a", 1);
    server.put("/api/v1/pods", {
      metadata: {
        name: "p",
        namespace: "ns",
        deletionTimestamp: "2026-01-01T00:00:00Z",
        finalizers: ["example.com/stay"],
        ownerReferences: [{ apiVersion: "v1", kind: "Set", name: "a", uid: owner.uid, controller: true }],
      },
    });
    await vi.waitFor(() => expect(woken).toEqual(["a"]), { timeout: 4000 });
    expect(expectations.satisfied("ns/a")).toBe(true);
  } finally {
    stop.abort();
    client.close();
    await server.close();
  }
});
