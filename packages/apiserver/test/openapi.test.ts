import type { DocumentationSource, TypeDocumentation } from "@orchernetes/apimachinery";
import { afterEach, expect, test } from "vitest";
import { startServer, type TestServer } from "./harness.ts";
import { toys } from "./toy.ts";

const types: TypeDocumentation = {
  Toy: { "": "A toy.", spec: "How it looks." },
  ToySpec: { "": "Looks.", color: "Its color." },
};
const texts: DocumentationSource = ({ name }) => types[name];

const v3 = "/openapi/v3/apis/toys.example.com/v1";
const toySpec = "io.o8s.api.toys.v1.ToySpec";

let server: TestServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

/** A server that counts how often it loads texts; the first `failures` times that fails. */
async function start(failures = 0): Promise<{ readonly server: TestServer; loads(): number }> {
  let loads = 0;
  server = await startServer({
    documentation: async () => {
      loads += 1;
      if (loads <= failures) throw new Error("no such module");
      return texts;
    },
  });
  return { server, loads: () => loads };
}

test("descriptions are loaded for the first request, and once for concurrent requests", async () => {
  const { server, loads } = await start();
  await server.call("GET", "/apis");
  expect(loads()).toBe(0);
  const answers = await Promise.all([1, 2, 3].map(() => server.call("GET", v3)));
  expect(answers.map(({ body }) => body.components.schemas[toySpec].properties.color.description)).toEqual([
    "Its color.",
    "Its color.",
    "Its color.",
  ]);
  expect(loads()).toBe(1);
  await server.call("GET", v3);
  expect(loads()).toBe(1);
});

test("references are described in both versions", async () => {
  const { server } = await start();
  const two = (await server.call("GET", "/openapi/v2")).body.definitions["io.o8s.api.toys.v1.Toy"];
  expect(two).toMatchObject({ description: "A toy.", properties: { spec: { description: "How it looks." } } });
  const three = (await server.call("GET", v3)).body.components.schemas["io.o8s.api.toys.v1.Toy"];
  expect(three.properties.spec).toEqual({
    description: "How it looks.",
    allOf: [{ $ref: `#/components/schemas/${toySpec}` }],
  });
});

test("DeleteOptions exist in every group and version", async () => {
  const { server } = await start();
  const two = (await server.call("GET", "/openapi/v2")).body.definitions;
  const options = two["io.o8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"];
  expect(options["x-kubernetes-group-version-kind"]).toEqual([
    { group: "toys.example.com", version: "v1", kind: "DeleteOptions" },
  ]);
});

test.each(["/openapi/v2", "/openapi/v3", v3])("%s: a failure to load is not remembered", async (path) => {
  const { server } = await start(1);
  expect((await server.call("GET", path)).status).toBe(500);
  expect((await server.call("GET", path)).status).toBe(200);
});

test("added resources appear in the next documents, also while others are being built", async () => {
  const { server } = await start();
  const before = server.call("GET", "/openapi/v3");
  const gizmos = {
    ...toys,
    plural: "gizmos",
    kind: "Gizmo",
    group: "gizmos.example.com",
    storagePrefix: "/registry/g",
  };
  server.server.registry.add([gizmos as never]);
  expect((await before).status).toBe(200);
  const { body } = await server.call("GET", "/openapi/v3");
  const { serverRelativeURL } = body.paths["apis/gizmos.example.com/v1"];
  const document = await server.call("GET", serverRelativeURL);
  expect(Object.keys(document.body.paths)).toContain("/apis/gizmos.example.com/v1/gizmos");
});
