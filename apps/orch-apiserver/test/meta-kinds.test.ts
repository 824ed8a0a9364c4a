import {
  DeleteOptions,
  decodeProtobuf,
  encodeProtobuf,
  protobufMediaType,
  Status,
  yamlLibrary,
} from "@orchernetes/apimachinery";
import { poll, startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call, type Json } from "./support.ts";

let server: TestApiServer;
let collections: readonly (readonly [groupVersion: string, path: string])[];
beforeAll(async () => {
  server = await startApiServer({ store: "embedded", flags: ["--runtime-config=api/all=true"] });
  await call(server, "POST", "/apis/apiextensions.o8s.io/v1/customresourcedefinitions", {
    body: {
      metadata: { name: "widgets.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "widgets", kind: "Widget" },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
      },
    },
  });
  await poll({ what: "widgets to be served", timeoutMs: 20_000, intervalMs: 50 }, async () =>
    (await call(server, "GET", "/apis/example.com/v1/widgets")).status === 200 ? true : undefined,
  );
  collections = await deletableCollections();
}, 60_000);
afterAll(() => server.stop());

/** Every collection that objects can be deleted from, in all group versions. */
async function deletableCollections(): Promise<readonly (readonly [string, string])[]> {
  const { json } = await call(server, "GET", "/apis");
  const groups = json.groups as unknown as readonly { readonly versions: readonly { groupVersion: string }[] }[];
  const all = ["v1", ...groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => groupVersion))];
  const out: (readonly [string, string])[] = [];
  for (const groupVersion of all) {
    const base = groupVersion === "v1" ? "/api/v1" : `/apis/${groupVersion}`;
    const list = (await call(server, "GET", base)).json.resources as unknown as readonly {
      readonly name: string;
      readonly namespaced: boolean;
      readonly verbs: readonly string[];
    }[];
    for (const { name, namespaced, verbs } of list) {
      if (!verbs.includes("deletecollection") || name.includes("/")) continue;
      out.push([groupVersion, `${base}/${namespaced ? "namespaces/nowhere/" : ""}${name}`]);
    }
  }
  return out;
}

const dryRun = { dryRun: ["All"] };

/** DeleteOptions of a group version in every encoding there is, with the content type. */
const encoded = (apiVersion: string): readonly (readonly [string, string | Buffer])[] => {
  const options = { kind: "DeleteOptions", apiVersion, ...dryRun };
  return [
    ["application/json", JSON.stringify(options)],
    ["application/yaml", yamlLibrary().stringify(options)],
    [protobufMediaType, encodeProtobuf(DeleteOptions, options)],
  ];
};

test("every group version takes its own DeleteOptions, for objects and collections, in every encoding", async () => {
  expect(collections.map(([groupVersion]) => groupVersion)).toEqual(
    expect.arrayContaining(["v1", "apps/v1", "example.com/v1", "batch/v1"]),
  );
  const refused: unknown[] = [];
  for (const [groupVersion, path] of collections) {
    for (const [type, raw] of encoded(groupVersion)) {
      const headers = { "content-type": type };
      const one = await call(server, "DELETE", `${path}/missing`, { raw, headers });
      const many = await call(server, "DELETE", `${path}?labelSelector=none=such`, { raw, headers });
      if (one.status !== 404 || many.status !== 200) refused.push([path, type, one.status, many.status, one.text]);
    }
  }
  expect(refused).toEqual([]);
}, 120_000);

const widgets = "/apis/example.com/v1/namespaces/default/widgets";
const configMaps = "/api/v1/namespaces/default/configmaps";

test.each([
  ["a built-in kind", configMaps, protobufMediaType],
  ["a custom resource", widgets, "application/json"],
])("%s that is deleted is answered in the encoding that there is for it", async (_, path, wanted) => {
  const object = { apiVersion: path === widgets ? "example.com/v1" : "v1", metadata: { name: "gone" } };
  const body = { ...object, kind: path === widgets ? "Widget" : "ConfigMap" };
  expect((await call(server, "POST", path, { body })).status).toBe(201);
  const [, , [type, raw] = []] = encoded("v1");
  const headers = { "content-type": type ?? "", accept: `${protobufMediaType}, application/json` };
  const answer = await call(server, "DELETE", `${path}/gone`, { ...(raw === undefined ? {} : { raw }), headers });
  expect([answer.status, answer.headers["content-type"]]).toEqual([200, wanted]);
});

test.each([
  ["a Status", configMaps, "GET"],
  ["a Status of a delete", configMaps, "DELETE"],
])("%s is protobuf when that is asked for", async (_, path, method) => {
  const answer = await call(server, method, `${path}/missing`, { headers: { accept: protobufMediaType } });
  expect([answer.status, answer.headers["content-type"]]).toEqual([404, protobufMediaType]);
  expect(decodeProtobuf(Status, answer.bytes)).toMatchObject({ reason: "NotFound", code: 404 });
});

test.each([
  ["application/json;as=Table;v=v1;g=meta.k8s.io", "Table", "meta.k8s.io/v1"],
  ["application/json;as=Table;v=v1;g=meta.o8s.io", "Table", "meta.o8s.io/v1"],
  ["application/json;as=Table;v=v1beta1;g=meta.k8s.io", "Table", "meta.k8s.io/v1beta1"],
  ["application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", "PartialObjectMetadataList", "meta.k8s.io/v1"],
  ["application/cbor, application/json", undefined, undefined],
  ["application/vnd.kubernetes.protobuf, application/json", undefined, undefined],
])("Accept: %s", async (accept, kind, apiVersion) => {
  for (const [path, own] of [
    [configMaps, ["ConfigMapList", "v1"]],
    [widgets, ["WidgetList", "example.com/v1"]],
  ] as const) {
    const { status, json } = await call(server, "GET", path, { headers: { accept } });
    const [ownKind, ownVersion] = own;
    expect([status, json.kind, json.apiVersion]).toEqual([200, kind ?? ownKind, apiVersion ?? ownVersion]);
  }
});

test.each(["application/cbor", "application/apply-patch+cbor"])("a body in %s is 415", async (type) => {
  const headers = { "content-type": type };
  expect((await call(server, "POST", configMaps, { raw: Buffer.from([0xa0]), headers })).status).toBe(415);
  expect((await call(server, "DELETE", `${configMaps}/a`, { raw: Buffer.from([0xa0]), headers })).status).toBe(415);
});

test.each([
  ["POST", "", "CreateOptions"],
  ["PUT", "/a", "UpdateOptions"],
  ["PATCH", "/a", "PatchOptions"],
])("%s names %s in what is wrong with its query", async (method, name, kind) => {
  for (const path of [configMaps, widgets]) {
    const headers = { "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" };
    const answer: { readonly status: number; readonly json: Json } = await call(
      server,
      method,
      `${path}${name}?dryRun=Some`,
      { body: {}, headers },
    );
    expect([answer.status, answer.json.message]).toEqual([422, expect.stringContaining(`${kind}.meta.o8s.io ""`)]);
  }
});
