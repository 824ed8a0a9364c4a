import { etcdAvailable, poll } from "@orchernetes/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  applyPatch,
  conditionsOf,
  definition,
  definitionsPath,
  embeddedStore,
  etcdStore,
  mergePatch,
  startServer,
  type TestServer,
  versionOf,
  widget,
} from "./harness.ts";

const stores = [["embedded", embeddedStore] as const, ...(etcdAvailable() ? [["etcd", etcdStore] as const] : [])];
const path = "/apis/example.com/v1/namespaces/ns/widgets";
const props = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
const spec = (properties: object, more: object = {}) => props({ spec: props(properties, more) });

describe.each(stores)("over the %s store", (_, open) => {
  let api: TestServer;

  beforeAll(async () => {
    api = await startServer(open);
  }, 60_000);

  afterAll(async () => {
    await api.stop();
  });

  const remove = async (name = "widgets.example.com") => {
    await api.call("DELETE", `${definitionsPath}/${name}`);
    await poll({ what: `${name} to be gone`, timeoutMs: 20_000, intervalMs: 10 }, async () =>
      (await api.call("GET", `${definitionsPath}/${name}`)).status === 404 ? true : undefined,
    );
  };

  test("what an earlier schema stored is pruned and defaulted by the present one, and rewritten when written", async () => {
    await api.define(definition({ schema: spec({ old: { type: "string" }, kept: { type: "integer" } }) }));
    await api.call("POST", path, widget("a", { spec: { old: "x", kept: 1 } }));
    const schema = spec({ kept: { type: "integer" }, fresh: { type: "string", default: "new" } });
    const { body } = await api.call("GET", `${definitionsPath}/widgets.example.com`);
    body.spec.versions[0].schema.openAPIV3Schema = schema;
    expect((await api.call("PUT", `${definitionsPath}/widgets.example.com`, body)).body.metadata.generation).toBe(2);
    const seen = await poll({ what: "the new schema", timeoutMs: 20_000, intervalMs: 10 }, async () => {
      const found = await api.call("GET", `${path}/a`);
      return found.body?.spec?.fresh === undefined ? undefined : found;
    });
    expect(seen.body.spec).toEqual({ fresh: "new", kept: 1 });
    expect((await api.call("GET", path)).body.items[0].spec).toEqual({ fresh: "new", kept: 1 });
    await remove();
  });

  test("an applier gives up the fields that it leaves out when it applies at another version", async () => {
    const fields = spec({ a: { type: "integer" }, b: { type: "integer", default: 7 }, c: { type: "integer" } });
    await api.define(definition({ versions: [versionOf("v1", fields, { storage: true }), versionOf("v2", fields)] }));
    const apply = (version: string, manager: string, members: object) =>
      api.call(
        "PATCH",
        `/apis/example.com/${version}/namespaces/ns/widgets/a?fieldManager=${manager}`,
        widget("a", { spec: members }, version),
        applyPatch,
      );
    await apply("v1", "one", { a: 1, b: 2, c: 3 });
    await apply("v1", "two", { c: 3 });
    const moved = await apply("v2", "one", { a: 1 });
    expect([moved.status, moved.body.spec]).toEqual([200, { a: 1, b: 7, c: 3 }]);
    const back = await apply("v1", "two", {});
    expect(back.body.spec).toEqual({ a: 1, b: 7 });
    await remove();
  });

  test("versions share one stored form; a change of the storage version keeps objects", async () => {
    const v1 = spec({ a: { type: "string" }, both: { type: "integer" } });
    const v2 = spec({ b: { type: "string", default: "two" }, both: { type: "integer" } });
    const versions = [versionOf("v1", v1, { storage: true }), versionOf("v2", v2)];
    await api.define(definition({ versions }));
    await api.call("POST", path, widget("a", { spec: { a: "one", both: 1 } }));
    const second = "/apis/example.com/v2/namespaces/ns/widgets";
    const seen = (await api.call("GET", `${second}/a`)).body;
    expect(seen).toMatchObject({ apiVersion: "example.com/v2", spec: { b: "two", both: 1 } });
    expect(seen.spec.a).toBeUndefined();
    const patched = await api.call("PATCH", `${second}/a`, { spec: { both: 2 } }, mergePatch);
    expect(patched).toMatchObject({ status: 200, body: { apiVersion: "example.com/v2", spec: { both: 2 } } });
    expect((await api.call("GET", `${path}/a`)).body.spec).toEqual({ both: 2 });

    const { body } = await api.call("GET", `${definitionsPath}/widgets.example.com`);
    body.spec.versions[0].storage = false;
    body.spec.versions[1].storage = true;
    const switched = await api.call("PUT", `${definitionsPath}/widgets.example.com`, body);
    expect(switched.body.status.storedVersions).toEqual(["v1", "v2"]);
    const after = await poll({ what: "the switch", timeoutMs: 20_000, intervalMs: 10 }, async () => {
      const { status, body: found } = await api.call("GET", `${second}/a`);
      return status === 200 ? found : undefined;
    });
    expect(after).toMatchObject({ apiVersion: "example.com/v2", spec: { both: 2 } });
    const rewritten = await api.call("PATCH", `${second}/a`, {}, mergePatch);
    expect(rewritten.body.metadata.resourceVersion).not.toBe(after.metadata.resourceVersion);
    const again = await api.call("PATCH", `${second}/a`, {}, mergePatch);
    expect(again.body.metadata.resourceVersion).toBe(rewritten.body.metadata.resourceVersion);
    await remove();
  });

  test("discovery lists groups by preferred version, with subresources", async () => {
    const schema = props({ spec: { type: "object" }, status: { type: "object" } });
    const versions = [
      versionOf("v1beta1", schema, { storage: true }),
      versionOf("v1", schema, {
        subresources: { status: {}, scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n" } },
      }),
      versionOf("v2", schema, { served: false }),
    ];
    await api.define(definition({ versions, names: { shortNames: ["wd"], categories: ["all"] } }));
    expect((await api.call("GET", "/apis/example.com")).body).toMatchObject({
      versions: [{ version: "v1" }, { version: "v1beta1" }],
      preferredVersion: { version: "v1" },
    });
    const { resources } = (await api.call("GET", "/apis/example.com/v1")).body;
    expect(resources.map(({ name }: { name: string }) => name)).toEqual(["widgets", "widgets/scale", "widgets/status"]);
    expect(resources[0]).toMatchObject({ singularName: "widget", shortNames: ["wd"], categories: ["all"] });
    expect((await api.call("GET", "/apis/example.com/v2/namespaces/ns/widgets")).status).toBe(404);
    await remove();
    expect((await api.call("GET", "/apis/example.com")).status).toBe(404);
  });

  test("status and scale are written separately, and do not increase the generation", async () => {
    const schema = props({
      spec: props({ n: { type: "integer" } }),
      status: props({ n: { type: "integer" }, selector: { type: "string" } }),
    });
    const scale = {
      specReplicasPath: ".spec.n",
      statusReplicasPath: ".status.n",
      labelSelectorPath: ".status.selector",
    };
    await api.define(definition({ schema, version: { subresources: { status: {}, scale } } }));
    const created = await api.call("POST", path, widget("a", { spec: { n: 1 }, status: { n: 9 } }));
    expect(created.body.status).toBeUndefined();
    const status = { spec: { n: 7 }, status: { n: 2, selector: "a=b" }, metadata: { labels: { x: "y" } } };
    const updated = await api.call("PATCH", `${path}/a/status`, status, mergePatch);
    expect(updated.body).toMatchObject({ metadata: { generation: 1 }, spec: { n: 1 }, status: { n: 2 } });
    expect(updated.body.metadata.labels).toBeUndefined();
    const main = await api.call("PATCH", `${path}/a`, { status: { n: 5 }, spec: { n: 3 } }, mergePatch);
    expect(main.body).toMatchObject({ metadata: { generation: 2 }, spec: { n: 3 }, status: { n: 2 } });
    const labels = { metadata: { labels: { x: "y" } } };
    expect((await api.call("PATCH", `${path}/a`, labels, mergePatch)).body.metadata.generation).toBe(2);
    expect((await api.call("GET", `${path}/a/scale`)).body).toMatchObject({
      kind: "Scale",
      spec: { replicas: 3 },
      status: { replicas: 2, selector: "a=b" },
    });
    const scaled = await api.call("PATCH", `${path}/a/scale`, { spec: { replicas: 5 } }, mergePatch);
    expect(scaled).toMatchObject({ status: 200, body: { spec: { replicas: 5 } } });
    expect((await api.call("GET", `${path}/a`)).body).toMatchObject({ metadata: { generation: 3 }, spec: { n: 5 } });
    await remove();
  });

  test("appliers own set and map items, and what others own is a conflict", async () => {
    const ports = {
      type: "array",
      "x-orchernetes-list-type": "map",
      "x-orchernetes-list-map-keys": ["name"],
      items: props({ name: { type: "string" }, port: { type: "integer" } }, { required: ["name"] }),
    };
    const tags = { type: "array", "x-orchernetes-list-type": "set", items: { type: "string" } };
    await api.define(definition({ schema: spec({ ports, tags }) }));
    const apply = (manager: string, given: object) =>
      api.call("PATCH", `${path}/a?fieldManager=${manager}`, widget("a", { spec: given }), applyPatch);
    expect((await apply("one", { ports: [{ name: "a", port: 1 }], tags: ["x"] })).status).toBe(201);
    const merged = await apply("two", { ports: [{ name: "b", port: 2 }], tags: ["y"] });
    expect(merged.body.spec).toEqual({
      ports: [
        { name: "a", port: 1 },
        { name: "b", port: 2 },
      ],
      tags: ["x", "y"],
    });
    const conflict = await apply("two", { ports: [{ name: "a", port: 3 }] });
    expect(conflict).toMatchObject({
      status: 409,
      body: { message: 'Apply failed with 1 conflict: conflict with "one": .spec.ports[name="a"].port' },
    });
    expect((await apply("two", { unknown: 1 })).body.message).toContain(".spec.unknown: field not declared in schema");
    const twins = widget("b", { spec: { tags: ["x", "x"] } });
    expect((await api.call("POST", path, twins)).body.message).toContain('spec.tags[1]: Duplicate value: "x"');
    await remove();
  });

  test("names in use are a conflict until they are free", async () => {
    await api.define(definition());
    const other = definition({ plural: "gadgets", kind: "Gadget", names: { shortNames: ["widget"] } });
    await api.call("POST", definitionsPath, other);
    const waiting = await poll({ what: "the decision", timeoutMs: 20_000, intervalMs: 10 }, async () => {
      const { body } = await api.call("GET", `${definitionsPath}/gadgets.example.com`);
      return body.status.conditions === undefined ? undefined : body;
    });
    expect(waiting.status.conditions).toMatchObject([
      { type: "NamesAccepted", status: "False", reason: "ShortNamesConflict", message: '"widget" is already in use' },
      { type: "Established", status: "False", reason: "NotAccepted" },
    ]);
    expect((await api.call("GET", "/apis/example.com/v1/namespaces/ns/gadgets")).status).toBe(404);
    await remove();
    await poll({ what: "the names to be free", timeoutMs: 20_000, intervalMs: 10 }, async () => {
      const { body } = await api.call("GET", `${definitionsPath}/gadgets.example.com`);
      return conditionsOf(body).Established === "True" ? true : undefined;
    });
    await remove("gadgets.example.com");
  });

  test("a definition waits for its objects' finalizers, and takes no new objects", async () => {
    await api.define(definition());
    await api.call("POST", path, { ...widget("held"), metadata: { name: "held", finalizers: ["example.com/hold"] } });
    await api.call("POST", path, widget("free"));
    await api.call("DELETE", `${definitionsPath}/widgets.example.com`);
    await poll({ what: "the free one to go", timeoutMs: 20_000, intervalMs: 10 }, async () =>
      (await api.call("GET", `${path}/free`)).status === 404 ? true : undefined,
    );
    const waiting = (await api.call("GET", `${definitionsPath}/widgets.example.com`)).body;
    expect(waiting.metadata.finalizers).toEqual(["customresourcecleanup.apiextensions.o8s.io"]);
    expect(conditionsOf(waiting).Terminating).toBe("True");
    expect(await api.call("POST", path, widget("late"))).toMatchObject({
      status: 405,
      body: { message: "create not allowed while custom resource definition is terminating" },
    });
    await api.call("PATCH", `${path}/held`, { metadata: { finalizers: null } }, mergePatch);
    await poll({ what: "the definition to go", timeoutMs: 30_000, intervalMs: 20 }, async () =>
      (await api.call("GET", `${definitionsPath}/widgets.example.com`)).status === 404 ? true : undefined,
    );
  });

  test("objects are deleted with their definition even if no version is served", async () => {
    await api.define(definition());
    await api.call("POST", path, widget("a"));
    const { body } = await api.call("GET", `${definitionsPath}/widgets.example.com`);
    body.spec.versions[0].served = false;
    await api.call("PUT", `${definitionsPath}/widgets.example.com`, body);
    await poll({ what: "the resource to be gone", timeoutMs: 20_000, intervalMs: 10 }, async () =>
      (await api.call("GET", path)).status === 404 ? true : undefined,
    );
    await remove();
    await api.define(definition());
    expect((await api.call("GET", path)).body.items).toEqual([]);
    await remove();
  });

  test("a definition is served by every server over its store, and established once", async () => {
    const other = await api.beside();
    try {
      await api.define(definition());
      await poll({ what: "the other to serve it", timeoutMs: 20_000, intervalMs: 10 }, async () =>
        (await other.call("GET", path)).status === 200 ? true : undefined,
      );
      await other.call("POST", path, widget("a", { spec: { x: 1 } }));
      expect((await api.call("GET", `${path}/a`)).body.spec).toEqual({ x: 1 });
      const { body } = await other.call("GET", `${definitionsPath}/widgets.example.com`);
      expect(body.status.conditions.map(({ type }: { type: string }) => type)).toEqual([
        "NamesAccepted",
        "Established",
      ]);
      await remove();
      await poll({ what: "the other to serve it no more", timeoutMs: 20_000, intervalMs: 10 }, async () =>
        (await other.call("GET", path)).status === 404 ? true : undefined,
      );
    } finally {
      await other.stop();
    }
  });

  test("a watch ends when its resource changes; other requests do not notice", async () => {
    await api.define(definition());
    const created = (await api.call("POST", path, widget("a"))).body;
    const watching = api.call("GET", `${path}?watch=1&resourceVersion=${created.metadata.resourceVersion}`);
    const { body } = await api.call("GET", `${definitionsPath}/widgets.example.com`);
    body.spec.versions[0].schema.openAPIV3Schema.description = "changed";
    await api.call("PUT", `${definitionsPath}/widgets.example.com`, body);
    const codes = new Set<number>();
    for (let i = 0; i < 20; i++) {
      const answers = await Promise.all([
        api.call("GET", `${path}/a`),
        api.call("GET", path),
        api.call("PATCH", `${path}/a`, { spec: { i } }, mergePatch),
      ]);
      for (const { status } of answers) codes.add(status);
    }
    expect([...codes]).toEqual([200]);
    expect((await watching).status).toBe(200);
    await remove();
  });

  test("a server that starts serves what was defined before", async () => {
    await api.define(definition());
    await api.call("POST", path, widget("a", { spec: { x: 1 } }));
    api = await api.restart();
    expect((await api.call("GET", `${path}/a`)).body.spec).toEqual({ x: 1 });
    await remove();
  });
});
