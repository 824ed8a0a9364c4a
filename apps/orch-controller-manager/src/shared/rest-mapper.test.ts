import { createClient } from "@orchernetes/client";
import { type FakeApiServer, startFakeApiServer } from "@orchernetes/client/testing";
import { systemClock } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createRestMapper } from "./rest-mapper.ts";

const things = { name: "things", kind: "Thing", namespaced: true };
const documents: Readonly<Record<string, unknown>> = {
  "/api": { versions: ["v1"] },
  "/api/v1": { resources: [{ name: "nodes", kind: "Node", namespaced: false }] },
  "/apis/g": {
    versions: [{ version: "v1" }, { version: "v2" }, { version: "v3" }],
    preferredVersion: { version: "v2" },
  },
  "/apis/g/v1": { resources: [things, { name: "things/scale", kind: "Scale", namespaced: true }] },
  "/apis/g/v2": { resources: [things] },
};

let server: FakeApiServer;
beforeEach(async () => {
  server = await startFakeApiServer();
  server.hook = ({ path }) => (path in documents ? { status: 200, body: documents[path] } : undefined);
});
afterEach(() => server.close());

test.each([
  ["", "Node", undefined, ["/v1 nodes Cluster"]],
  ["g", "Thing", undefined, ["g/v2 things Namespaced", "g/v1 things Namespaced"]],
  ["g", "Thing", "v1", ["g/v1 things Namespaced"]],
  ["g", "Scale", undefined, 'no matches for kind "Scale" in group "g"'],
  ["g", "Thing", "v9", 'no matches for kind "Thing" in version "g/v9"'],
  ["absent", "Thing", undefined, 'no matches for kind "Thing" in group "absent"'],
])("group %j, kind %s, version %s", async (group, kind, version, want) => {
  const client = createClient({ server: server.url });
  const mapper = createRestMapper(client, systemClock);
  const got = await mapper.mappings({ group, kind }, version).then(
    (refs) => refs.map((ref) => `${ref.group}/${ref.version} ${ref.plural} ${ref.scope}`),
    (error: unknown) => (error as Error).message,
  );
  expect(got).toEqual(want);
  client.close();
});

test("results are cached, and misses are not", async () => {
  const client = createClient({ server: server.url });
  const mapper = createRestMapper(client, systemClock);
  await mapper.mappings({ group: "g", kind: "Thing" });
  const asked = server.requests.length;
  await mapper.mappings({ group: "g", kind: "Thing" });
  expect(server.requests).toHaveLength(asked);
  await expect(mapper.mappings({ group: "g", kind: "Late" })).rejects.toThrow("no matches");
  await expect(mapper.mappings({ group: "g", kind: "Late" })).rejects.toThrow("no matches");
  expect(server.requests.length).toBeGreaterThan(asked);
  client.close();
});
