import { describe, expect, test } from "vitest";
import { answering, conversionTest, convert, group, pair, path, versions } from "./conversion-harness.ts";
import { applyPatch, definitionsPath, mergePatch } from "./harness.ts";

const webhook = conversionTest();
const { call, changeSpec, storeAs, stored } = webhook;

describe("a version that is not the stored one", () => {
  test("is converted by the webhook on reads and writes; the stored one needs none", async () => {
    expect((await call("POST", path("v1"), pair("first"))).status).toBe(201);
    expect((await call("GET", path("v1", "/first"))).body).toMatchObject({ hostPort: "localhost:8080" });
    expect(webhook.reviews).toEqual([]);
    const { status, body } = await call("GET", path("v2", "/first"));
    expect(status).toBe(200);
    expect(body).toMatchObject({ apiVersion: `${group}/v2`, kind: "Pair", host: "localhost", port: "8080" });
    expect(body.hostPort).toBeUndefined();
    expect(webhook.reviews).toHaveLength(1);
    expect(webhook.reviews[0]).toMatchObject({
      apiVersion: "apiextensions.o8s.io/v1",
      kind: "ConversionReview",
      request: {
        desiredAPIVersion: `${group}/v2`,
        objects: [{ apiVersion: `${group}/v1`, hostPort: "localhost:8080" }],
      },
    });
    expect(webhook.observed).toEqual([
      expect.objectContaining({ definition: `pairs.${group}`, fromVersion: "v1", toVersion: "v2", succeeded: true }),
    ]);

    const written = await call("PUT", path("v2", "/first"), { ...body, host: "other" });
    expect([written.status, written.body.host, written.body.metadata.generation]).toEqual([200, "other", 2]);
    expect(await stored("first")).toMatchObject({ apiVersion: `${group}/v1`, hostPort: "other:8080" });
    const again = await call("PUT", path("v2", "/first"), written.body);
    expect(again.body.metadata.resourceVersion).toBe(written.body.metadata.resourceVersion);
  });

  test("can be patched, applied, scaled, and have its status written", async () => {
    await call("POST", path("v1"), pair("patched", "v1", { spec: { replicas: 1 } }));
    const merged = await call("PATCH", path("v2", "/patched"), { port: "81" }, mergePatch);
    expect([merged.status, merged.body.port]).toEqual([200, "81"]);
    const applied = (manager: string, version: "v1" | "v2", members: object) =>
      call(
        "PATCH",
        path(version, `/patched?fieldManager=${manager}`),
        { ...pair("patched", version), ...members },
        applyPatch,
      );
    const conflict = await applied("one", "v2", { port: "82" });
    expect(conflict.status).toBe(409);
    expect(conflict.body.message).toContain(".port");
    const forced = await call(
      "PATCH",
      path("v2", "/patched?fieldManager=one&force=true"),
      pair("patched", "v2", { port: "82" }),
      applyPatch,
    );
    expect([forced.status, forced.body.port]).toEqual([200, "82"]);
    const other = await applied("two", "v1", { hostPort: "localhost:83" });
    expect(other.status).toBe(409);
    expect(other.body.message).toContain('conflict with "one": .port');
    expect((await stored("patched")).hostPort).toBe("localhost:82");

    expect((await call("GET", path("v2", "/patched/scale"))).body.spec.replicas).toBe(1);
    const scaled = await call("PATCH", path("v2", "/patched/scale"), { spec: { replicas: 3 } }, mergePatch);
    expect([scaled.status, scaled.body.spec.replicas]).toEqual([200, 3]);
    const status = await call("PATCH", path("v2", "/patched/status"), { status: { a: 1 } }, mergePatch);
    expect([status.status, status.body.status]).toEqual([200, { a: 1 }]);
    expect(await stored("patched")).toMatchObject({
      spec: { replicas: 3 },
      status: { a: 1 },
      hostPort: "localhost:82",
    });
  });

  test("keeps what the server decides: of metadata the webhook changes labels and annotations only", async () => {
    webhook.answer = answering((object, apiVersion) => ({
      ...convert(object, apiVersion),
      metadata: {
        ...object.metadata,
        labels: { ...object.metadata.labels, to: apiVersion.replace("/", ".") },
        annotations: { to: apiVersion },
        generation: 42,
        resourceVersion: "42",
        finalizers: ["foo"],
        ownerReferences: [{ apiVersion: "v1", kind: "Namespace", name: "default", uid: "1234" }],
        garbage: "foo",
      },
    }));
    const { body } = await call("POST", path("v2"), pair("mutated", "v2"));
    expect(body.metadata).toMatchObject({
      annotations: { to: `${group}/v2` },
      labels: { to: `${group}.v2` },
      generation: 1,
    });
    expect(Object.keys(body.metadata)).not.toEqual(expect.arrayContaining(["garbage"]));
    expect([body.metadata.finalizers, body.metadata.ownerReferences]).toEqual([undefined, undefined]);
    expect((await stored("mutated")).metadata).toMatchObject({ annotations: { to: `${group}/v1` }, generation: 1 });
  });

  test("has the defaults of the requested version when it is written, and of the stored one when it is read", async () => {
    const created = await call("POST", path("v2"), pair("defaulted", "v2", { defaults: {} }));
    expect(created.body.defaults).toEqual({ v1: true, v2: true });
    await call("POST", path("v1"), pair("defaulted-v1", "v1", { defaults: {} }));
    expect((await call("GET", path("v2", "/defaulted-v1"))).body.defaults).toEqual({ v1: true });
  });

  test("has no fields that its schema does not know", async () => {
    webhook.answer = answering((object, apiVersion) => ({ ...convert(object, apiVersion), garbage: 1 }));
    const created = await call("POST", path("v2"), pair("pruned", "v2"));
    expect([created.status, created.body.garbage]).toEqual([201, undefined]);
    expect((await stored("pruned")).garbage).toBeUndefined();
  });
});

test("objects keep the version in which they were written, until they are written again", async () => {
  await call("POST", path("v1"), pair("old"));
  await storeAs("v2");
  const { body } = await call("GET", `${definitionsPath}/pairs.${group}`);
  expect(body.status.storedVersions).toEqual(["v1", "v2"]);
  const refused = await changeSpec({ versions: versions("v2").slice(1) });
  expect(refused.status).toBe(422);
  expect(refused.body.message).toContain('status.storedVersions[0]: Invalid value: "v1": must appear in spec.versions');
  expect((await stored("old")).apiVersion).toBe(`${group}/v1`);
  const read = await call("GET", path("v2", "/old"));
  expect([read.body.host, webhook.reviews.length]).toEqual(["localhost", 1]);
  const written = await call("PUT", path("v2", "/old"), read.body);
  expect(written.body.metadata.generation).toBe(1);
  expect(await stored("old")).toMatchObject({ apiVersion: `${group}/v2`, host: "localhost" });
  webhook.reviews = [];
  await call("GET", path("v2", "/old"));
  expect(webhook.reviews).toEqual([]);
  // A deletion that waits is written in the stored version, too.
  await storeAs("v1");
  await call("PATCH", path("v1", "/old"), { metadata: { finalizers: ["a.b/c"] } }, mergePatch);
  await storeAs("v2");
  const marked = await call("DELETE", path("v2", "/old"));
  expect([marked.status, marked.body.host]).toEqual([200, "localhost"]);
  expect(await stored("old")).toMatchObject({ apiVersion: `${group}/v2`, host: "localhost" });
  await call("PATCH", path("v2", "/old"), { metadata: { finalizers: null } }, mergePatch);
  expect((await call("GET", path("v2", "/old"))).status).toBe(404);
  await storeAs("v1");
});
