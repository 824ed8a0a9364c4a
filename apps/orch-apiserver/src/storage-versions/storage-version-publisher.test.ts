import { isDeepStrictEqual } from "node:util";
import { core, events } from "@orchernetes/api";
import type { StorageVersion } from "@orchernetes/api/apiserverinternal/v1alpha1";
import { notFound, type ResourceDefinition, resourceDefinitions } from "@orchernetes/apimachinery";
import { parseRequestInfo, type Registry, type RequestInfo } from "@orchernetes/apiserver";
import { FakeClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { StorageVersionPublisher } from "./storage-version-publisher.ts";
import { storageVersionName, storedResources } from "./stored-resource.ts";

const definitions: readonly ResourceDefinition[] = resourceDefinitions(core.pods, core.events, events.events);
const { signal } = new AbortController();

function setup(refuse: (name: string) => boolean = () => false) {
  const stored = new Map<string, StorageVersion>();
  let writes = 0;
  const store = {
    async update({ name }: { name: string }, change: (draft: StorageVersion, current: StorageVersion) => void) {
      if (refuse(name)) throw new Error(`no ${name}`);
      const current = stored.get(name);
      if (current === undefined)
        throw notFound({ group: "internal.apiserver.o8s.io", plural: "storageversions" }, name);
      const draft = structuredClone(current);
      change(draft, current);
      if (isDeepStrictEqual(draft, current)) return;
      stored.set(name, draft);
      writes++;
    },
    create: async (object: StorageVersion) => void stored.set(object.metadata.name ?? "", object),
  };
  const registry = { lookup: () => store } as unknown as Registry;
  const publisher = new StorageVersionPublisher({
    serverId: "apiserver-a",
    resources: storedResources(definitions),
    clock: new FakeClock(),
  });
  return { stored, publisher, writes: () => writes, publish: () => publisher.publish(registry, signal) };
}

const info = (method: string, path: string): RequestInfo => parseRequestInfo(method, path);
const createPod = info("POST", "/api/v1/namespaces/a/pods");

test("resources are what is stored, and groups that share objects can read each other's version", () => {
  const found = storedResources(definitions);
  expect(found.map(storageVersionName)).toEqual(["core.pods", "core.events", "events.o8s.io.events"]);
  expect(found[2]).toMatchObject({ encodingVersion: "v1", decodableVersions: ["events.o8s.io/v1", "v1"] });
});

test("versions are published once", async () => {
  const { stored, publish, writes } = setup();
  await publish();
  expect([...stored.keys()]).toEqual(["core.pods", "core.events", "events.o8s.io.events"]);
  expect(stored.get("core.pods")?.status).toMatchObject({
    storageVersions: [{ apiServerID: "apiserver-a", encodingVersion: "v1", decodableVersions: ["v1"] }],
    commonEncodingVersion: "v1",
  });
  expect(writes()).toBe(3);
  await publish();
  expect(writes()).toBe(3);
});

test("writes wait until the version of their resource is published; reads, leadership and other paths do not", async () => {
  const { publisher, publish } = setup((name) => name === "core.pods");
  expect(publisher.barrier(createPod)?.status).toMatchObject({
    code: 503,
    reason: "ServiceUnavailable",
    message: "wait for storage version registration to complete for resource: pods, last seen error: <nil>",
  });
  for (const [method, path] of [
    ["GET", "/api/v1/pods"],
    ["GET", "/api/v1/pods?watch=1"],
    ["POST", "/healthz"],
    ["PUT", "/apis/coordination.o8s.io/v1/namespaces/orch-system/leases/orch-scheduler"],
    ["POST", "/apis/internal.apiserver.o8s.io/v1alpha1/storageversions"],
    ["POST", "/apis/authorization.o8s.io/v1/subjectaccessreviews"],
  ] as const)
    expect(publisher.barrier(info(method, path)), path).toBeUndefined();
  await expect(publish()).rejects.toThrow("no core.pods");
  expect(publisher.barrier(createPod)?.message).toContain("last seen error: no core.pods");
  expect(publisher.barrier(info("DELETE", "/api/v1/namespaces/a/events/e"))).toBeUndefined();
});

test("a version that was published once is not waited for when it cannot be published again", async () => {
  let broken = false;
  const { publisher, publish } = setup(() => broken);
  await publish();
  broken = true;
  await expect(publish()).rejects.toThrow("no core.pods");
  expect(publisher.barrier(createPod)).toBeUndefined();
});
