import { poll } from "@orchernetes/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ObservedConversion } from "../src/index.ts";
import {
  type Answer,
  applyPatch,
  definition,
  definitionsPath,
  embeddedStore,
  mergePatch,
  startServer,
  type TestServer,
  type TestStore,
  versionOf,
} from "./harness.ts";

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly Json[] };
}

type Json = ReturnType<typeof JSON.parse>;
type Convert = (object: Json, apiVersion: string) => Json;

const group = "stable.example.com";
const path = (version: string, rest = "") => `/apis/${group}/${version}/namespaces/ns/pairs${rest}`;

/** `hostPort` of v1 is `host` and `port` of v2. */
const convert: Convert = (object, apiVersion) => {
  const { hostPort, host, port, ...rest } = object;
  if (apiVersion.endsWith("/v1")) return { ...rest, apiVersion, hostPort: `${host}:${port}` };
  const [first, second] = String(hostPort ?? ":").split(":");
  return { ...rest, apiVersion, host: first, port: second };
};

const success = (review: Review, convertedObjects: readonly Json[]) => ({
  apiVersion: review.apiVersion,
  kind: review.kind,
  response: { uid: review.request.uid, convertedObjects, result: { status: "Success" } },
});
const answering =
  (how: Convert) =>
  (review: Review): Json =>
    success(
      review,
      review.request.objects.map((object) => how(object, review.request.desiredAPIVersion)),
    );

const any = { "x-orchernetes-preserve-unknown-fields": true };
const properties = {
  v1: { hostPort: { type: "string" }, list: { type: "array", items: { type: "string" } } },
  v2: { host: { type: "string" }, port: { type: "string" }, list: { type: "array", items: { type: "string" } } },
};
const more = {
  spec: { type: "object", ...any },
  status: { type: "object", ...any },
  defaults: { type: "object" },
};
const defaultsOf = (name: string) => ({
  type: "object",
  properties: { v1: { type: "boolean" }, v2: { type: "boolean" }, [name]: { type: "boolean", default: true } },
});
const subresources = {
  status: {},
  scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
};
const versions = (stored: "v1" | "v2") =>
  (["v1", "v2"] as const).map((name) =>
    versionOf(
      name,
      { type: "object", properties: { ...more, ...properties[name], defaults: defaultsOf(name) } },
      { storage: name === stored, subresources },
    ),
  );
const conversion = (conversionReviewVersions: readonly string[]) => ({
  strategy: "Webhook",
  webhook: { clientConfig: { url: "https://webhook.example.com/crdconvert" }, conversionReviewVersions },
});
const pairs = (stored: "v1" | "v2") =>
  definition({
    group,
    plural: "pairs",
    kind: "Pair",
    versions: versions(stored),
    spec: { conversion: conversion(["v1", "v1beta1"]) },
  });
const pair = (name: string, version: "v1" | "v2" = "v1", members: object = {}) => ({
  apiVersion: `${group}/${version}`,
  kind: "Pair",
  metadata: { name },
  ...(version === "v1" ? { hostPort: "localhost:8080" } : { host: "localhost", port: "8080" }),
  ...members,
});

let store: TestStore;
let api: TestServer;
let answer: (review: Review) => Json | Promise<Json>;
let reviews: Review[] = [];
let observed: ObservedConversion[] = [];

async function put(spec: object): Promise<Answer> {
  const name = `${definitionsPath}/pairs.${group}`;
  return api.call("PATCH", name, { spec }, mergePatch);
}

/** Changes the stored version and waits until that is served. */
async function storeAs(stored: "v1" | "v2"): Promise<void> {
  expect((await put({ versions: versions(stored) })).status).toBe(200);
  await poll({ what: `${stored} to be stored`, timeoutMs: 10_000, intervalMs: 10 }, async () => {
    reviews = [];
    const name = `probe-${Math.random().toString(36).slice(2)}`;
    const created = await api.call("POST", path(stored), pair(name, stored));
    if (created.status === 201) await api.call("DELETE", path(stored, `/${name}`));
    return created.status === 201 && reviews.length === 0 ? true : undefined;
  });
}

/** What the store has, in the form in which it was written. */
async function stored(name: string): Promise<Json> {
  const found = await store.store.get(`/registry/${group}/pairs/ns/${name}`, {});
  return JSON.parse(found?.value.toString() ?? "null");
}

beforeAll(async () => {
  store = await embeddedStore();
  answer = answering(convert);
  api = await startServer(async () => store, {
    client: () => ({
      async post(review, signal) {
        signal.throwIfAborted();
        const asked = JSON.parse(JSON.stringify(review)) as Review;
        reviews.push(asked);
        return answer(asked);
      },
      close: () => undefined,
    }),
    observe: (one) => observed.push(one),
  });
  const created = await api.define(pairs("v1"));
  expect([created.status, created.warnings]).toEqual([201, ""]);
}, 60_000);
afterAll(() => api.stop());
beforeEach(() => {
  answer = answering(convert);
  reviews = [];
  observed = [];
});

describe("a version that is not the stored one", () => {
  test("is converted by the webhook on reads and writes; the stored one needs none", async () => {
    expect((await api.call("POST", path("v1"), pair("first"))).status).toBe(201);
    expect((await api.call("GET", path("v1", "/first"))).body).toMatchObject({ hostPort: "localhost:8080" });
    expect(reviews).toEqual([]);
    const { status, body } = await api.call("GET", path("v2", "/first"));
    expect(status).toBe(200);
    expect(body).toMatchObject({ apiVersion: `${group}/v2`, kind: "Pair", host: "localhost", port: "8080" });
    expect(body.hostPort).toBeUndefined();
    expect(reviews).toHaveLength(1);
    expect(reviews[0]).toMatchObject({
      apiVersion: "apiextensions.o8s.io/v1",
      kind: "ConversionReview",
      request: {
        desiredAPIVersion: `${group}/v2`,
        objects: [{ apiVersion: `${group}/v1`, hostPort: "localhost:8080" }],
      },
    });
    expect(observed).toEqual([
      expect.objectContaining({ definition: `pairs.${group}`, fromVersion: "v1", toVersion: "v2", succeeded: true }),
    ]);

    const written = await api.call("PUT", path("v2", "/first"), { ...body, host: "other" });
    expect([written.status, written.body.host, written.body.metadata.generation]).toEqual([200, "other", 2]);
    expect(await stored("first")).toMatchObject({ apiVersion: `${group}/v1`, hostPort: "other:8080" });
    const again = await api.call("PUT", path("v2", "/first"), written.body);
    expect(again.body.metadata.resourceVersion).toBe(written.body.metadata.resourceVersion);
  });

  test("can be patched, applied, scaled, and have its status written", async () => {
    await api.call("POST", path("v1"), pair("patched", "v1", { spec: { replicas: 1 } }));
    const merged = await api.call("PATCH", path("v2", "/patched"), { port: "81" }, mergePatch);
    expect([merged.status, merged.body.port]).toEqual([200, "81"]);
    const applied = (manager: string, version: "v1" | "v2", members: object) =>
      api.call(
        "PATCH",
        path(version, `/patched?fieldManager=${manager}`),
        { ...pair("patched", version), ...members },
        applyPatch,
      );
    const conflict = await applied("one", "v2", { port: "82" });
    expect(conflict.status).toBe(409);
    expect(conflict.body.message).toContain(".port");
    const forced = await api.call(
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

    expect((await api.call("GET", path("v2", "/patched/scale"))).body.spec.replicas).toBe(1);
    const scaled = await api.call("PATCH", path("v2", "/patched/scale"), { spec: { replicas: 3 } }, mergePatch);
    expect([scaled.status, scaled.body.spec.replicas]).toEqual([200, 3]);
    const status = await api.call("PATCH", path("v2", "/patched/status"), { status: { a: 1 } }, mergePatch);
    expect([status.status, status.body.status]).toEqual([200, { a: 1 }]);
    expect(await stored("patched")).toMatchObject({
      spec: { replicas: 3 },
      status: { a: 1 },
      hostPort: "localhost:82",
    });
  });

  test("keeps what the server decides: of metadata the webhook changes labels and annotations only", async () => {
    answer = answering((object, apiVersion) => ({
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
    const { body } = await api.call("POST", path("v2"), pair("mutated", "v2"));
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
    const created = await api.call("POST", path("v2"), pair("defaulted", "v2", { defaults: {} }));
    expect(created.body.defaults).toEqual({ v1: true, v2: true });
    await api.call("POST", path("v1"), pair("defaulted-v1", "v1", { defaults: {} }));
    expect((await api.call("GET", path("v2", "/defaulted-v1"))).body.defaults).toEqual({ v1: true });
  });

  test("has no fields that its schema does not know", async () => {
    answer = answering((object, apiVersion) => ({ ...convert(object, apiVersion), garbage: 1 }));
    const created = await api.call("POST", path("v2"), pair("pruned", "v2"));
    expect([created.status, created.body.garbage]).toEqual([201, undefined]);
    expect((await stored("pruned")).garbage).toBeUndefined();
  });
});

describe("lists", () => {
  test("are converted by one review, in which objects of that version are left out", async () => {
    const names = Array.from({ length: 20 }, (_, i) => `many-${String(i).padStart(2, "0")}`);
    const at = (version: string) => `/apis/${group}/${version}/namespaces/many/pairs`;
    for (const name of names.slice(10)) await api.call("POST", at("v1"), pair(name));
    await storeAs("v2");
    for (const name of names.slice(0, 10)) await api.call("POST", at("v2"), pair(name, "v2"));
    reviews = [];
    const { status, body } = await api.call("GET", at("v2"));
    expect(status).toBe(200);
    expect(body.items.map(({ metadata }: Json) => metadata.name)).toEqual(names);
    expect(new Set(body.items.map(({ apiVersion, host }: Json) => `${apiVersion} ${host}`))).toEqual(
      new Set([`${group}/v2 localhost`]),
    );
    expect(reviews.map(({ request }) => request.objects.length)).toEqual([10]);
    const pages: string[] = [];
    for (let token = ""; ; ) {
      const page = (await api.call("GET", `${at("v1")}?limit=7&continue=${token}`)).body;
      pages.push(...page.items.map(({ hostPort, metadata }: Json) => `${metadata.name} ${hostPort}`));
      token = page.metadata.continue;
      if (!token) break;
    }
    expect(pages).toEqual(names.map((name) => `${name} localhost:8080`));
    const table = await api.call("GET", at("v1"), undefined, {
      accept: "application/json;as=Table;g=meta.o8s.io;v=v1",
    });
    expect(table.body.rows).toHaveLength(20);
    expect((await api.call("DELETE", at("v1"))).body.items).toHaveLength(20);
    await storeAs("v1");
  });

  test("of much are converted by several", async () => {
    const at = (version: string) => `/apis/${group}/${version}/namespaces/big/pairs`;
    for (let i = 0; i < 5; i++)
      await api.call("POST", at("v1"), pair(`big-${i}`, "v1", { spec: { text: "x".repeat(400_000) } }));
    const { body } = await api.call("GET", at("v2"));
    expect(body.items.map(({ host }: Json) => host)).toEqual(Array(5).fill("localhost"));
    expect(reviews.map(({ request }) => request.objects.length)).toEqual([2, 2, 1]);
    await api.call("DELETE", at("v1"));
  });
});

describe("a watch", () => {
  const at = (version: string, rest = "") => `/apis/${group}/${version}/namespaces/watched/pairs${rest}`;
  /** The events of a watch as `TYPE name host` while something is done, and what its last line says otherwise. */
  async function watched(meanwhile: () => Promise<void>): Promise<readonly string[]> {
    const from = (await api.call("GET", at("v1"))).body.metadata.resourceVersion;
    const query = `?watch=1&timeoutSeconds=1&resourceVersion=${from}`;
    const [two] = await Promise.all([api.call("GET", at("v2", query)), meanwhile()]);
    const lines = two.text.split("\n").filter((line) => line !== "");
    return lines.map((line) => {
      const { type, object } = JSON.parse(line);
      return type === "ERROR"
        ? `${type} ${object.code} ${object.message}`
        : `${type} ${object.metadata.name} ${object.host}`;
    });
  }

  test("has the events of the stored version, in their order", async () => {
    const events = await watched(async () => {
      for (const name of ["a", "b", "c"]) await api.call("POST", at("v1"), pair(name));
      await api.call("PATCH", at("v1", "/b"), { hostPort: "other:1" }, mergePatch);
      await api.call("DELETE", at("v1", "/a"));
    });
    expect(events).toEqual([
      "ADDED a localhost",
      "ADDED b localhost",
      "ADDED c localhost",
      "MODIFIED b other",
      "DELETED a localhost",
    ]);
    const initial = await api.call("GET", at("v2", "?watch=1&timeoutSeconds=1"));
    expect(initial.text.split("\n").filter((line) => line.includes('"host":'))).toHaveLength(2);
  });

  test("ends with an error when the webhook fails, and watches of the stored version go on", async () => {
    const stored = api.call("GET", at("v1", "?watch=1&timeoutSeconds=2"));
    const events = await watched(async () => {
      await api.call("PATCH", at("v1", "/b"), { hostPort: "third:1" }, mergePatch);
      await poll({ what: "a review", timeoutMs: 5000, intervalMs: 5 }, async () => reviews[0]);
      answer = () => Promise.reject(new Error("connection refused"));
      await api.call("PATCH", at("v1", "/b"), { hostPort: "fourth:1" }, mergePatch);
    });
    expect(events).toEqual([
      "MODIFIED b third",
      `ERROR 500 conversion webhook for ${group}/v1, Kind=Pair failed: connection refused`,
    ]);
    expect((await stored).text).toContain("fourth:1");
  });
});

test("objects keep the version in which they were written, until they are written again", async () => {
  await api.call("POST", path("v1"), pair("old"));
  await storeAs("v2");
  const { body } = await api.call("GET", `${definitionsPath}/pairs.${group}`);
  expect(body.status.storedVersions).toEqual(["v1", "v2"]);
  const refused = await put({ versions: versions("v2").slice(1) });
  expect(refused.status).toBe(422);
  expect(refused.body.message).toContain('status.storedVersions[0]: Invalid value: "v1": must appear in spec.versions');
  expect((await stored("old")).apiVersion).toBe(`${group}/v1`);
  const read = await api.call("GET", path("v2", "/old"));
  expect([read.body.host, reviews.length]).toEqual(["localhost", 1]);
  const written = await api.call("PUT", path("v2", "/old"), read.body);
  expect(written.body.metadata.generation).toBe(1);
  expect(await stored("old")).toMatchObject({ apiVersion: `${group}/v2`, host: "localhost" });
  reviews = [];
  await api.call("GET", path("v2", "/old"));
  expect(reviews).toEqual([]);
  // A deletion that waits is written in the stored version, too.
  await storeAs("v1");
  await api.call("PATCH", path("v1", "/old"), { metadata: { finalizers: ["a.b/c"] } }, mergePatch);
  await storeAs("v2");
  const marked = await api.call("DELETE", path("v2", "/old"));
  expect([marked.status, marked.body.host]).toEqual([200, "localhost"]);
  expect(await stored("old")).toMatchObject({ apiVersion: `${group}/v2`, host: "localhost" });
  await api.call("PATCH", path("v2", "/old"), { metadata: { finalizers: null } }, mergePatch);
  expect((await api.call("GET", path("v2", "/old"))).status).toBe(404);
  await storeAs("v1");
});

describe("a webhook that does not convert", () => {
  const only =
    (change: (review: Review, honest: Json) => Json) =>
    (review: Review): Json =>
      change(review, answering(convert)(review));
  const withObject = (change: (object: Json) => Json) =>
    only((review, honest) => success(review, honest.response.convertedObjects.map(change)));
  const of = `conversion webhook for ${group}/v1, Kind=Pair`;
  const rows: readonly (readonly [string, (review: Review) => Json | Promise<Json>, string])[] = [
    ["is not there", () => Promise.reject(new Error("connection refused")), `${of} failed: connection refused`],
    [
      "answers nothing",
      () => ({}),
      `${of} failed: expected webhook response of apiextensions.o8s.io/v1, Kind=ConversionReview, got /, Kind=`,
    ],
    ["answers null", () => null, `${of} failed: expected webhook response`],
    [
      "answers without a response",
      ({ apiVersion, kind }) => ({ apiVersion, kind }),
      `${of} failed: no response provided`,
    ],
    [
      "answers another review",
      only((_, honest) => ({ ...honest, response: { ...honest.response, uid: "x" } })),
      `${of} failed: expected response.uid=`,
    ],
    [
      "reports a failure",
      only((_, honest) => ({
        ...honest,
        response: { ...honest.response, result: { status: "Failure", message: "no such port" } },
      })),
      `${of} failed: no such port`,
    ],
    [
      "reports nothing",
      only((_, honest) => ({ ...honest, response: { ...honest.response, result: {} } })),
      `${of} failed: response.result.status was '', not 'Success'`,
    ],
    ["returns fewer objects", only((review) => success(review, [])), `${of} returned 0 objects, expected 1`],
    [
      "returns more objects",
      only((review) => success(review, [pair("x"), pair("x")])),
      `${of} returned 2 objects, expected 1`,
    ],
    [
      "returns null",
      withObject(() => null),
      `${of} returned invalid object at index 0: Object 'Kind' is missing in 'null'`,
    ],
    [
      "does not change the version",
      withObject((object) => ({ ...object, apiVersion: `${group}/v1` })),
      `${of} returned invalid object at index 0: invalid groupVersion (expected ${group}/v2, received ${group}/v1)`,
    ],
    [
      "changes the kind",
      withObject((object) => ({ ...object, kind: "Other" })),
      `${of} returned invalid object at index 0: invalid kind (expected Pair, received Other)`,
    ],
    [
      "changes the uid",
      withObject((object) => ({ ...object, metadata: { ...object.metadata, uid: "42" } })),
      `${of} returned invalid object: must have the same UID: `,
    ],
    [
      "changes the name",
      withObject((object) => ({ ...object, metadata: { ...object.metadata, name: "x" } })),
      `${of} returned invalid object: must have the same name: broken != x`,
    ],
    [
      "changes the namespace",
      withObject((object) => ({ ...object, metadata: { ...object.metadata, namespace: "x" } })),
      `${of} returned invalid object: must have the same namespace: ns != x`,
    ],
    [
      "makes labels that are none",
      withObject((object) => ({ ...object, metadata: { ...object.metadata, labels: { a: 1 } } })),
      `${of} returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object`,
    ],
    [
      "makes invalid labels",
      withObject((object) => ({ ...object, metadata: { ...object.metadata, labels: { a: "?" } } })),
      `${of} returned invalid metadata: metadata.labels: Invalid value: "?"`,
    ],
  ];

  beforeAll(async () => {
    await api.call("POST", path("v1"), pair("broken", "v1", { spec: { replicas: 1 } }));
  });

  test.each(rows)("because it %s fails requests for that version with 500", async (_, how, message) => {
    answer = how;
    const read = await api.call("GET", path("v2", "/broken"));
    expect(read.body).toMatchObject({ kind: "Status", code: 500, message: expect.stringContaining(message) });
    expect(read.body.reason).toBeUndefined();
    expect((await api.call("GET", path("v1", "/broken"))).status).toBe(200);
  });

  test("fails every verb of that version, and none of the stored one", async () => {
    answer = rows[0]?.[1] ?? answer;
    const change = { metadata: { annotations: { patch: "true" } } };
    const { body } = await api.call("GET", path("v1", "/broken"));
    const broken = { ...pair("broken", "v2"), metadata: body.metadata };
    const scale = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "broken" }, spec: { replicas: 42 } };
    const calls: readonly (readonly [string, string, unknown?, Readonly<Record<string, string>>?])[] = [
      ["GET", "/broken"],
      ["GET", ""],
      ["GET", "?watch=1&timeoutSeconds=1"],
      ["POST", "", pair("new", "v2")],
      ["PUT", "/broken", broken],
      ["PATCH", "/broken", change, mergePatch],
      ["PATCH", "/broken?fieldManager=a", pair("broken", "v2"), applyPatch],
      ["DELETE", "/broken"],
      ["DELETE", ""],
      ["GET", "/broken/status"],
      ["PUT", "/broken/status", broken],
      ["PATCH", "/broken/status", change, mergePatch],
      ["GET", "/broken/scale"],
      ["PUT", "/broken/scale", scale],
      ["PATCH", "/broken/scale", change, mergePatch],
    ];
    for (const [method, rest, sent, headers] of calls) {
      const failed = await api.call(method, path("v2", rest), sent, headers);
      expect([method, rest, failed.status], failed.text).toEqual([method, rest, 500]);
      expect(failed.text).toContain("failed: connection refused");
    }
    expect((await api.call("GET", path("v1"))).status).toBe(200);
    expect((await api.call("PATCH", path("v1", "/broken"), change, mergePatch)).status).toBe(200);
  });

  test("in one of several objects is named with its place", async () => {
    await api.call("POST", path("v1"), pair("broken-2"));
    answer = only((review, honest) => success(review, [...honest.response.convertedObjects].reverse()));
    const { body } = await api.call("GET", path("v2"));
    expect(body.message).toContain(`${of} returned invalid converted object at index 0: must have the same name`);
  });

  test("that speaks the older version of reviews need not repeat their uid", async () => {
    await put({ conversion: conversion(["v1beta1", "v1"]) });
    answer = (review) => ({ response: { ...answering(convert)(review).response, uid: undefined } });
    await poll({ what: "the older version", timeoutMs: 10_000, intervalMs: 10 }, async () => {
      reviews = [];
      const { status } = await api.call("GET", path("v2", "/broken"));
      return status === 200 && reviews[0]?.apiVersion === "apiextensions.o8s.io/v1beta1" ? true : undefined;
    });
    await put({ conversion: conversion(["v1", "v1beta1"]) });
    await storeAs("v1");
  });
});
