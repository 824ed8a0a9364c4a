import { poll } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { applyPatch, definition, mergePatch, startServer, type TestServer } from "./harness.ts";

let api: TestServer;
const path = "/apis/example.com/v1/namespaces/ns/widgets";
const long = "3546343826724305832";
const schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      "x-orchernetes-preserve-unknown-fields": true,
      properties: { size: { type: "integer", format: "int64" } },
    },
  },
};
const columns = [{ name: "Size", type: "integer", jsonPath: ".spec.size" }];

beforeAll(async () => {
  api = await startServer();
  await api.define(definition({ schema, version: { additionalPrinterColumns: columns } }));
}, 60_000);
afterAll(() => api.stop());

const widget = (name: string) =>
  `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"${name}"},"spec":{"size":${long},"other":[-${long}]}}`;

/** The spec as it is written in an answer. */
const specOf = (text: string): string | undefined => /"spec":(\{[^}]*\})/.exec(text)?.[1];

test.each([
  ["application/json", widget("json")],
  [
    "application/yaml",
    `apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: yaml}\nspec: {size: ${long}, other: [-${long}]}`,
  ],
])("created in %s", async (type, body) => {
  const made = await api.call("POST", path, body, { "content-type": type });
  expect(made.status).toBe(201);
  expect(specOf(made.text)).toBe(`{"other":[-${long}],"size":${long}}`);
  const read = await api.call("GET", `${path}/${made.body.metadata.name}`);
  expect(read.text).toBe(made.text);
});

test.each([
  ["merge patch", mergePatch, '{"spec":{"more":9007199254740993}}'],
  [
    "JSON patch",
    { "content-type": "application/json-patch+json" },
    `[{"op":"test","path":"/spec/size","value":${long}},{"op":"add","path":"/spec/more","value":9007199254740993}]`,
  ],
])("kept by a %s", async (name, headers, patch) => {
  const of = name.replace(" ", "-").toLowerCase();
  await api.call("POST", path, widget(of));
  const { status, text } = await api.call("PATCH", `${path}/${of}`, patch, headers);
  expect([status, specOf(text)]).toEqual([200, `{"more":9007199254740993,"other":[-${long}],"size":${long}}`]);
});

test("applied, and applied again", async () => {
  const apply = () => api.call("PATCH", `${path}/applied?fieldManager=a`, widget("applied"), applyPatch);
  const first = await apply();
  expect([first.status, specOf(first.text)]).toEqual([201, `{"other":[-${long}],"size":${long}}`]);
  const again = await apply();
  expect(again.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
});

test("shown in YAML, in tables, and by a server that reads the store", async () => {
  await api.call("POST", path, widget("shown"));
  const yaml = await api.call("GET", `${path}/shown`, undefined, { accept: "application/yaml" });
  expect(yaml.text).toContain(`size: ${long}\n`);
  const table = await api.call("GET", `${path}/shown?includeObject=Object`, undefined, {
    accept: "application/json;as=Table;g=meta.o8s.io;v=v1",
  });
  expect(table.text).toContain(`"cells":["shown",${long}]`);
  expect(specOf(table.text)).toBe(`{"other":[-${long}],"size":${long}}`);
  const other = await api.beside();
  const read = await other.call("GET", `${path}/shown`);
  expect(specOf(read.text)).toBe(`{"other":[-${long}],"size":${long}}`);
  await other.stop();
});

test("kept by defaults, by watches and in other versions", async () => {
  const defaulting = {
    type: "object",
    properties: {
      spec: {
        type: "object",
        default: { size: 1 },
        properties: { size: { type: "integer" }, max: { type: "integer", format: "int64", default: 1 } },
      },
    },
  };
  const text = JSON.stringify(
    definition({
      group: "defaults.example.com",
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: defaulting } },
        { name: "v2", served: true, storage: false, schema: { openAPIV3Schema: defaulting } },
      ],
    }),
  ).replaceAll('"default":1', `"default":${long}`);
  const made = await api.call("POST", "/apis/apiextensions.o8s.io/v1/customresourcedefinitions", text);
  expect([made.status, made.text]).toEqual([201, expect.stringContaining(`"default":${long}`)]);
  const collection = (version: string) => `/apis/defaults.example.com/${version}/namespaces/ns/widgets`;
  await poll({ what: "the definition to be served", timeoutMs: 20_000, intervalMs: 20 }, async () =>
    (await api.call("GET", collection("v2"))).status === 200 ? true : undefined,
  );
  const body = { apiVersion: "defaults.example.com/v1", kind: "Widget", metadata: { name: "defaulted" } };
  const created = await api.call("POST", collection("v1"), body);
  expect(specOf(created.text)).toBe(`{"max":${long},"size":1}`);
  for (const version of ["v1", "v2"]) {
    const watched = await api.call("GET", `${collection(version)}?watch=true&timeoutSeconds=1`);
    expect(specOf(watched.text)).toBe(`{"max":${long},"size":1}`);
    const listed = await api.call("GET", collection(version));
    expect(specOf(listed.text)).toBe(`{"max":${long},"size":1}`);
  }
  const other = JSON.stringify({ ...body, apiVersion: "defaults.example.com/v2", metadata: { name: "second" } });
  const put = await api.call("POST", collection("v2"), other.replace(/}$/, `,"spec":{"size":-${long}}}`));
  expect(specOf(put.text)).toBe(`{"max":${long},"size":-${long}}`);
  expect(specOf((await api.call("GET", `${collection("v1")}/second`)).text)).toBe(`{"max":${long},"size":-${long}}`);
});

test("what 64 bits do not hold is no integer", async () => {
  const { status, body } = await api.call("POST", path, widget("wide").replace(`"size":${long}`, `"size":${long}0`));
  expect([status, body.details.causes[0].message]).toEqual([
    422,
    'Invalid value: "number": spec.size in body must be of type integer: "number"',
  ]);
});
