import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { core } from "@orchernetes/api";
import { resourceDefinitions, textsOf } from "@orchernetes/apimachinery";
import { createApiServer } from "@orchernetes/apiserver";
import { startFakeApiServer } from "@orchernetes/client/testing";
import { parseFlags } from "@orchernetes/component";
import { openEmbeddedStore, type Store } from "@orchernetes/storage";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startControllers } from "../../../../apps/orch-controller-manager/src/testing/start-controller.ts";
import { greetingFlags } from "./greeting-flag.ts";
import { labelNodesController, reconcile } from "./label-nodes.ts";
import { requireOwner } from "./require-owner.ts";
import { documentation } from "./widgets/documentation.ts";
import { demoV1, WidgetSpec, widgets } from "./widgets/index.ts";

let path: string;
let store: Store;
let end: AbortController;
beforeEach(async () => {
  end = new AbortController();
  path = mkdtempSync(join(tmpdir(), "examples-"));
  store = await openEmbeddedStore({ path, fsync: false });
});
afterEach(async () => {
  end.abort();
  await store.close();
  rmSync(path, { recursive: true });
});

async function serve(admission: readonly (typeof requireOwner)[] = []) {
  const definitions = [...resourceDefinitions(core.namespaces), ...demoV1];
  const options = { definitions, store, authenticators: [], authorizers: [], admission, signal: end.signal };
  const server = createApiServer(options);
  await server.start();
  return server.registry;
}

test("the resource is served, with its default and its rule", async () => {
  const registry = await serve();
  const resource = registry.forDefinition(widgets);
  const widget = (name: string, spec: object) => ({ metadata: { name, namespace: "default" }, spec });
  expect((await resource.create(widget("a", {}), {})).spec.size).toBe(1);
  await expect(resource.create(widget("b", { size: 101 }), {})).rejects.toThrow(
    'Widget.demo.example.com "b" is invalid: spec.size: Invalid value: 101: must be at most 100',
  );
});

test("every field of the resource has a text", () => {
  const texts = ({ pkg, name }: { readonly pkg: string; readonly name: string }) =>
    pkg === "demo.example.com/v1" ? documentation[name] : undefined;
  for (const schema of [widgets.schema, WidgetSpec]) {
    const own = Object.keys(schema.fields()).filter((name) => !["kind", "apiVersion", "metadata"].includes(name));
    expect(Object.keys(textsOf(schema, texts))).toEqual(expect.arrayContaining(["", ...own]));
  }
});

test("the admission plugin rejects a namespace without the label", async () => {
  const registry = await serve([requireOwner]);
  const namespaces = registry.forDefinition(core.namespaces);
  const owned = { metadata: { name: "a", labels: { "example.com/owner": "web" } }, spec: {}, status: {} };
  expect((await namespaces.create(owned, { admission: true })).metadata.name).toBe("a");
  await expect(
    namespaces.create({ metadata: { name: "b" }, spec: {}, status: {} }, { admission: true }),
  ).rejects.toThrow('namespaces "b" is forbidden: label example.com/owner is missing; expected the name of a team');
});

test.each([
  ["4", undefined, [{ type: "LabelNode", size: "small" }]],
  ["8", "small", [{ type: "LabelNode", size: "large" }]],
  ["8", "large", []],
])("the controller decides for %s CPUs and label %s", (cpu, label, actions) => {
  const labels = label === undefined ? {} : { "example.com/size": label };
  const given = { metadata: { name: "n", labels }, spec: {}, status: { capacity: { cpu } } } as unknown as core.Node;
  expect(reconcile(given).actions).toEqual(actions);
});

test("the controller labels a node", async () => {
  const server = await startFakeApiServer();
  server.put("/api/v1/nodes", { metadata: { name: "n" }, status: { capacity: { cpu: "16" } } });
  const stop = startControllers(server, [labelNodesController]);
  const labels = () =>
    server
      .objects("/api/v1/nodes")
      .map(({ metadata }) => (metadata.labels as Record<string, string> | undefined)?.["example.com/size"]);
  await expect.poll(labels).toEqual(["large"]);
  await stop();
  await server.close();
});

test.each([
  [[], { flags: { "greeting-interval": 60_000 } }],
  [["--greeting-interval=1h"], { flags: { "greeting-interval": 3_600_000 } }],
  [["--greeting-interval=1ms"], { type: "errors" }],
])("the flag is parsed: %j", (argv, want) => {
  const program = { name: "demo", description: "A demo.", version: { text: "", raw: "" } };
  expect(parseFlags(program, greetingFlags, argv)).toMatchObject(want);
});
