import { afterAll, beforeAll, expect, test } from "vitest";
import { definition, definitionsPath, mergePatch, startServer, type TestServer, widget } from "./harness.ts";

let api: TestServer;
const path = "/apis/example.com/v1/namespaces/ns/widgets";
const schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: { size: { type: "integer" }, at: { type: "string" }, on: { type: "boolean" } },
    },
    status: {
      type: "object",
      properties: {
        conditions: {
          type: "array",
          items: { type: "object", properties: { type: { type: "string" }, status: { type: "string" } } },
        },
      },
    },
  },
};
const additionalPrinterColumns = [
  { name: "Size", type: "integer", jsonPath: ".spec.size", priority: 1 },
  { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: "At", type: "date", jsonPath: ".spec.at" },
  { name: "On", type: "boolean", jsonPath: ".spec.on" },
];

beforeAll(async () => {
  api = await startServer();
  await api.define(definition({ schema, version: { additionalPrinterColumns } }));
  const status = { conditions: [{ type: "Ready", status: "True" }] };
  await api.call("POST", path, widget("full", { spec: { size: 3, at: "nonsense", on: false }, status }));
  await api.call("POST", path, widget("bare"));
}, 60_000);

afterAll(() => api.stop());

test("tables have the columns of the definition", async () => {
  const { body } = await api.call("GET", path, undefined, { accept: "application/json;as=Table;g=meta.o8s.io;v=v1" });
  expect(
    body.columnDefinitions.map(({ name, type, priority }: Record<string, unknown>) => [name, type, priority]),
  ).toEqual([
    ["Name", "string", 0],
    ["Size", "integer", 1],
    ["Ready", "string", 0],
    ["At", "date", 0],
    ["On", "boolean", 0],
  ]);
  expect(body.rows.map(({ cells }: { cells: unknown }) => cells)).toEqual([
    ["bare", null, null, null, null],
    ["full", 3, "True", "<invalid>", false],
  ]);
});

test.each([
  ["Ignore", 201, ""],
  ["Warn", 201, 'unknown field \\"spec.odd\\"'],
  ["Strict", 400, ""],
])("fieldValidation=%s answers %d", async (validation, status, warning) => {
  const body = widget(`v-${validation.toLowerCase()}`, { spec: { odd: 1, size: 1 } });
  const answer = await api.call("POST", `${path}?fieldValidation=${validation}`, body);
  expect(answer.status).toBe(status);
  expect(answer.warnings).toContain(warning);
  if (status === 201) expect(answer.body.spec).toEqual({ size: 1 });
  else expect(answer.body.message).toContain('strict decoding error: unknown field "spec.odd"');
});

test.each([
  ["protobuf only", { accept: "application/vnd.orchernetes.protobuf" }, 406],
  ["protobuf or JSON", { accept: "application/vnd.orchernetes.protobuf,application/json" }, 200],
  ["YAML", { accept: "application/yaml" }, 200],
])("answers in %s", async (_, headers, status) => {
  expect((await api.call("GET", `${path}/bare`, undefined, headers)).status).toBe(status);
});

test("bodies in protobuf are rejected", async () => {
  const headers = { "content-type": "application/vnd.orchernetes.protobuf" };
  expect((await api.call("POST", path, "o8s\0", headers)).status).toBe(415);
});

test.each([
  ["without a kind", { apiVersion: "example.com/v1", metadata: { name: "x" } }, 400, "Object 'Kind' is missing"],
  ["without a version", { kind: "Widget", metadata: { name: "x" } }, 400, "Object 'apiVersion' is missing"],
  ["of bad metadata", { ...widget("x"), metadata: { name: "x", labels: { a: 1 } } }, 400, "cannot unmarshal number"],
  [
    "with a member __proto__",
    '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"p"},"__proto__":{"a":1}}',
    201,
    "",
  ],
])("an object %s", async (_, body, status, message) => {
  const answer = await api.call("POST", path, body);
  expect(answer.status).toBe(status);
  if (message !== "") expect(answer.body.message).toContain(message);
});

test("an object that preserves unknown fields keeps its members, whatever their names", async () => {
  await api.define(definition({ group: "free.example.com" }));
  const body =
    '{"apiVersion":"free.example.com/v1","kind":"Widget","metadata":{"name":"p"},"__proto__":{"a":{"b":null}},"constructor":1}';
  const answer = await api.call("POST", "/apis/free.example.com/v1/namespaces/ns/widgets", body);
  expect(answer.status).toBe(201);
  expect(answer.text).toContain('"__proto__":{"a":{"b":null}},"constructor":1');
});

test("rules in the expression language are compiled with the definition and evaluated for its objects", async () => {
  const rules = (rule: string) => ({ ...schema, "x-orchernetes-validations": [{ rule }] });
  const wrong = await api.define(definition({ group: "rules.example.com", schema: rules("self.spec.sise > 0") }));
  expect(wrong.status).toBe(422);
  expect(wrong.body.message).toContain("compilation failed: ERROR: <input>:1:10: undefined field 'sise'");
  const created = await api.define(
    definition({ group: "rules.example.com", schema: rules("!has(self.spec.size) || self.spec.size > 2") }),
  );
  expect(created.status).toBe(201);
  const path = "/apis/rules.example.com/v1/namespaces/default/widgets";
  const widget = (size: number) => ({
    apiVersion: "rules.example.com/v1",
    kind: "Widget",
    metadata: { name: "one" },
    spec: { size },
  });
  const refused = await api.call("POST", path, widget(2));
  expect(refused.status).toBe(422);
  expect(refused.body.message).toContain(
    '<nil>: Invalid value: "object": failed rule: !has(self.spec.size) || self.spec.size > 2',
  );
  expect((await api.call("POST", path, widget(3))).status).toBe(201);
});

test("both spellings of extensions are read, one is written", async () => {
  const stock = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const { status, body } = await api.define(definition({ group: "stock.example.com", schema: stock }));
  expect(status).toBe(201);
  expect(body.spec.versions[0].schema.openAPIV3Schema).toEqual({
    type: "object",
    "x-orchernetes-preserve-unknown-fields": true,
  });
  const patch = [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { ...schema, "x-kubernetes-map-type": "atomic" } },
    },
  ];
  const patched = await api.call(
    "PATCH",
    `${definitionsPath}/widgets.stock.example.com`,
    { spec: { versions: patch } },
    mergePatch,
  );
  expect(patched.body.spec.versions[0].schema.openAPIV3Schema["x-orchernetes-map-type"]).toBe("atomic");
});

test("OpenAPI describes what is served, in both versions", async () => {
  const v3 = (await api.call("GET", "/openapi/v3/apis/example.com/v1")).body;
  const kind = v3.components.schemas["com.example.v1.Widget"];
  expect(kind.properties.spec.properties.size).toEqual({ type: "integer" });
  expect(kind.properties.metadata.allOf).toEqual([
    { $ref: "#/components/schemas/io.o8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" },
  ]);
  expect(kind["x-kubernetes-group-version-kind"]).toEqual([{ group: "example.com", version: "v1", kind: "Widget" }]);
  const v2 = (await api.call("GET", "/openapi/v2")).body;
  expect(v2.definitions["com.example.v1.Widget"].properties.spec.properties.on).toEqual({ type: "boolean" });
  expect(v2.paths["/apis/example.com/v1/namespaces/{namespace}/widgets/{name}"].patch.consumes).not.toContain(
    "application/strategic-merge-patch+json",
  );
});

test("a schema of the maximum depth of a document is rejected without recursion", async () => {
  let deep: object = { type: "string" };
  for (let i = 0; i < 450; i++) deep = { type: "object", properties: { a: deep } };
  const answer = await api.call("POST", definitionsPath, definition({ group: "deep.example.com", schema: deep }));
  expect(answer.status).toBe(422);
  expect(answer.body.message).toContain("must not nest deeper than");
  let items: object = { type: "string" };
  for (let i = 0; i < 900; i++) items = { type: "array", items };
  const arrays = definition({ group: "deep.example.com", schema: { type: "object", properties: { a: items } } });
  expect((await api.call("POST", definitionsPath, arrays)).status).toBe(422);
});
