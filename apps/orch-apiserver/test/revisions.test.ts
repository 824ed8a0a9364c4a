import { apps } from "@orchernetes/api";
import { encodeProtobuf, parseJson, protobufMediaType } from "@orchernetes/apimachinery";
import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call } from "./support.ts";

let server: TestApiServer;
beforeAll(async () => {
  server = await startApiServer();
});
afterAll(() => server.stop());

const path = "/apis/apps/v1/namespaces/default/controllerrevisions";
const data = '{"spec":{"big":3546343826724305832}}';
const revision = (name: string) =>
  `{"kind":"ControllerRevision","apiVersion":"apps/v1","metadata":{"name":"${name}"},"data":${data},"revision":1}`;
const schema = apps.controllerRevisions.schema;

test("the data of a revision is exact in JSON and protobuf", async () => {
  const json = await call(server, "POST", path, { raw: revision("json") });
  expect([json.status, json.text]).toEqual([201, expect.stringContaining(`"data":${data}`)]);

  const raw = encodeProtobuf(schema, parseJson(revision("wire")).value as apps.ControllerRevision);
  const wire = await call(server, "POST", path, { raw, headers: { "content-type": protobufMediaType } });
  expect([wire.status, wire.text]).toEqual([201, expect.stringContaining(`"data":${data}`)]);
});

test("a strategic patch keeps it", async () => {
  await call(server, "POST", path, { raw: revision("patched") });
  const { text } = await call(server, "PATCH", `${path}/patched`, {
    raw: '{"metadata":{"labels":{"a":"b"}}}',
    headers: { "content-type": "application/strategic-merge-patch+json" },
  });
  expect(text).toContain(`"data":${data}`);
});

test("an answer in YAML has it", async () => {
  await call(server, "POST", path, { raw: revision("asked") });
  const { text } = await call(server, "GET", `${path}/asked`, { headers: { accept: "application/yaml" } });
  expect(text).toContain("big: 3546343826724305832");
});
