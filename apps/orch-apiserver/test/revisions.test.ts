import { apps } from "@orchernetes/api";
import { decodeProtobuf, encodeProtobuf, parseJson, protobufMediaType } from "@orchernetes/apimachinery";
import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call } from "./support.ts";

const path = "/apis/apps/v1/namespaces/default/controllerrevisions";
const data = '{"spec":{"big":3546343826724305832}}';
const revision = (name: string) =>
  `{"kind":"ControllerRevision","apiVersion":"apps/v1","metadata":{"name":"${name}"},"data":${data},"revision":1}`;
const schema = apps.controllerRevisions.schema;

describe.each(["embedded", "etcd"] as const)("the data of revisions with store %s", (store) => {
  let server: TestApiServer;
  beforeAll(async () => {
    server = await startApiServer({ store });
  }, 120_000);
  afterAll(() => server.stop());

  test("is exact in JSON, YAML and protobuf, and after a restart", async () => {
    const json = await call(server, "POST", path, { raw: revision("json") });
    expect([json.status, json.text]).toEqual([201, expect.stringContaining(`"data":${data}`)]);

    const raw = encodeProtobuf(schema, parseJson(revision("wire")).value as apps.ControllerRevision);
    const wire = await call(server, "POST", path, { raw, headers: { "content-type": protobufMediaType } });
    expect([wire.status, wire.text]).toEqual([201, expect.stringContaining(`"data":${data}`)]);

    const yaml = await call(server, "POST", path, {
      raw: `metadata: {name: yaml}\ndata: {spec: {big: 3546343826724305832}}\nrevision: 1`,
      headers: { "content-type": "application/yaml" },
    });
    expect([yaml.status, yaml.text]).toEqual([201, expect.stringContaining(`"data":${data}`)]);

    await server.restart();
    const listed = await call(server, "GET", path);
    expect(listed.text.split(`"data":${data}`)).toHaveLength(4);
  }, 120_000);

  test.each([
    ["strategic-merge", '{"metadata":{"labels":{"a":"b"}}}'],
    ["merge", '{"metadata":{"labels":{"a":"b"}}}'],
    ["json", '[{"op":"add","path":"/metadata/labels","value":{"a":"b"}}]'],
  ])("is kept by a %s patch", async (kind, raw) => {
    await call(server, "POST", path, { raw: revision(`patched-${kind}`) });
    const type =
      kind === "strategic-merge" ? "application/strategic-merge-patch+json" : `application/${kind}-patch+json`;
    const answer = await call(server, "PATCH", `${path}/patched-${kind}`, { raw, headers: { "content-type": type } });
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining(`"data":${data}`)]);
  });

  test("is applied, and applying it again changes nothing", async () => {
    const apply = () =>
      call(server, "PATCH", `${path}/applied?fieldManager=a`, {
        raw: revision("applied"),
        headers: { "content-type": "application/apply-patch+yaml" },
      });
    const first = await apply();
    expect([first.status, first.text]).toEqual([201, expect.stringContaining(`"data":${data}`)]);
    expect((await apply()).json.metadata).toEqual(first.json.metadata);
  });

  test("is exact in every form of an answer", async () => {
    await call(server, "POST", path, { raw: revision("asked") });
    const yaml = await call(server, "GET", `${path}/asked`, { headers: { accept: "application/yaml" } });
    expect(yaml.text).toContain("big: 3546343826724305832");
    const wire = await call(server, "GET", `${path}/asked`, { headers: { accept: protobufMediaType } });
    expect(JSON.stringify(decodeProtobuf(schema, wire.bytes))).toContain(`"data":${data}`);
    const watched = await call(server, "GET", `${path}?watch=true&timeoutSeconds=1&fieldSelector=metadata.name=asked`);
    expect(watched.text).toContain(`"data":${data}`);
  });

  test("is served as Go writes it, in lists and watches, too", async () => {
    const raw = '{"a":"x \\u0026\\u0026 y \\u003e z","b":"\\u2028"}';
    const body = { metadata: { name: "raw" }, revision: 1, data: JSON.parse(raw) as unknown };
    const made = await call(server, "POST", path, { body });
    expect([made.status, made.text]).toEqual([201, expect.stringContaining(raw)]);
    for (const of of [`${path}/raw`, path, `${path}?watch=true&resourceVersion=0&timeoutSeconds=1`])
      expect((await call(server, "GET", of)).text).toContain(raw);
    const headers = { accept: "application/vnd.orchernetes.protobuf" };
    expect((await call(server, "GET", `${path}/raw`, { headers })).text).toContain(raw);
  });
});
