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

test("what 64 bits do not hold is no integer", async () => {
  const { status, body } = await api.call("POST", path, widget("wide").replace(`"size":${long}`, `"size":${long}0`));
  expect([status, body.details.causes[0].message]).toEqual([
    422,
    'Invalid value: "number": spec.size in body must be of type integer: "number"',
  ]);
});
