import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, type TestServer } from "./harness.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test("groups and resources", async () => {
  const groups = await server.call("GET", "/apis");
  expect(groups.body.groups).toEqual([
    {
      name: "toys.example.com",
      versions: [{ groupVersion: "toys.example.com/v1", version: "v1" }],
      preferredVersion: { groupVersion: "toys.example.com/v1", version: "v1" },
    },
  ]);
  const { body } = await server.call("GET", "/apis/toys.example.com/v1");
  expect(body.resources.map(({ name }: { name: string }) => name)).toEqual([
    "boxes",
    "toys",
    "toys/scale",
    "toys/status",
  ]);
  expect(body.resources[1]).toEqual({
    name: "toys",
    singularName: "toy",
    namespaced: true,
    kind: "Toy",
    verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
    shortNames: ["ty"],
    categories: ["all"],
    storageVersionHash: expect.stringMatching(/^.{11}=$/),
  });
  expect(body.resources[3].singularName).toBe("");
  expect((await server.call("GET", "/apis/nothing.example.com")).status).toBe(404);
  expect((await server.call("POST", "/apis", {})).status).toBe(405);
});

test.each([
  ["apidiscovery.o8s.io", "v2beta1"],
  ["apidiscovery.k8s.io", "v2"],
])("aggregated as %s/%s, with an etag", async (group, version) => {
  const accept = `application/json;g=${group};v=${version};as=APIGroupDiscoveryList,application/json`;
  const { body, headers } = await server.call("GET", "/apis", undefined, { accept });
  expect(headers.get("content-type")).toBe(`application/json;g=${group};v=${version};as=APIGroupDiscoveryList`);
  expect(body).toMatchObject({ kind: "APIGroupDiscoveryList", apiVersion: `${group}/${version}` });
  expect(body.items[0].versions[0].resources[1]).toMatchObject({
    resource: "toys",
    singularResource: "toy",
    scope: "Namespaced",
  });
  const again = await server.call("GET", "/apis", undefined, { accept, "if-none-match": headers.get("etag") ?? "" });
  expect(again.status).toBe(304);
  expect(again.headers.get("content-type")).toBeNull();
});

test("OpenAPI v3: an index of immutable documents", async () => {
  const { body: index } = await server.call("GET", "/openapi/v3");
  const url = index.paths["apis/toys.example.com/v1"].serverRelativeURL;
  const { body, headers } = await server.call("GET", url);
  expect(headers.get("cache-control")).toBe("public, immutable");
  const patch = body.paths["/apis/toys.example.com/v1/namespaces/{namespace}/toys/{name}"].patch;
  expect(patch["x-kubernetes-group-version-kind"]).toEqual({ group: "toys.example.com", version: "v1", kind: "Toy" });
  expect(patch["x-orchernetes-action"]).toBe("patch");
  expect(patch.parameters.map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(["dryRun", "fieldValidation"]),
  );
  const schema = body.components.schemas["io.o8s.api.toys.v1.Toy"];
  expect(schema["x-kubernetes-group-version-kind"]).toEqual([
    { group: "toys.example.com", version: "v1", kind: "Toy" },
  ]);
});

test("OpenAPI v2: JSON and protobuf", async () => {
  const { body } = await server.call("GET", "/openapi/v2");
  expect(body.swagger).toBe("2.0");
  expect(body.definitions["io.o8s.api.toys.v1.ToySpec"].properties.color).toMatchObject({ type: "string" });
  const accept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
  const wire = await server.call("GET", "/openapi/v2", undefined, { accept });
  expect(wire.headers.get("content-type")).toBe("application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
  expect(wire.text.startsWith("\n\u00032.0")).toBe(true);
});

test("custom resources can be added and removed", async () => {
  const { toys } = await import("./toy.ts");
  const gizmos = { ...toys, plural: "gizmos", kind: "Gizmo", storagePrefix: "/registry/gizmos" };
  server.server.registry.add([gizmos as never]);
  const path = "/apis/toys.example.com/v1/namespaces/ns/gizmos";
  expect((await server.call("POST", path, { kind: "Gizmo", metadata: { name: "g" } })).status).toBe(201);
  expect((await server.call("GET", "/apis/toys.example.com/v1")).body.resources[1].name).toBe("gizmos");
  server.server.registry.remove([gizmos as never]);
  expect((await server.call("GET", path)).status).toBe(404);
});
