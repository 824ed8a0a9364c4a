import { poll, startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call } from "./support.ts";
import { watching } from "./watching.ts";

const path = "/api/v1/namespaces/default";
const configMaps = `${path}/configmaps`;

describe.each([
  ["--watch-cache=false", ["--watch-cache=false", "--authorization-mode=Node,RBAC"], ["configmaps", "secrets"], []],
  [
    "--watch-cache-sizes",
    ["--watch-cache-sizes=configmaps#0,leases.coordination.o8s.io#0", "--watch-cache-sizes=pods#1000"],
    ["configmaps", "leases.coordination.o8s.io"],
    ["pods", "secrets"],
  ],
])("%s", (_, flags, without, cached) => {
  let server: TestApiServer;
  beforeAll(async () => {
    server = await startApiServer({
      flags: [
        ...flags,
        "--enable-garbage-collector=false",
        "--disable-admission-plugins=ServiceAccount",
        "--orchernetes-service-node-port=30443",
      ],
    });
  }, 130_000);
  afterAll(() => server?.stop());

  test("only the others have a cache", async () => {
    const { text } = await call(server, "GET", "/metrics");
    const resources = [...text.matchAll(/^watch_cache_capacity\{resource="([^"]+)"\}/gm)].map(([, name]) => name);
    for (const resource of without) expect(resources).not.toContain(resource);
    for (const resource of cached) expect(resources).toContain(resource);
  });

  test("reads, lists and watches show what was written", async () => {
    const start = await call(server, "GET", configMaps);
    const watch = watching(
      server,
      `${configMaps}?watch=1&labelSelector=x&resourceVersion=${start.json.metadata?.resourceVersion}`,
    );
    for (const name of ["a", "b", "c"]) {
      const made = await call(server, "POST", configMaps, { body: { metadata: { name, labels: { x: "y" } } } });
      expect(made.status).toBe(201);
      const read = await call(server, "GET", `${configMaps}/${name}`);
      expect(read.json.metadata?.resourceVersion).toEqual(made.json.metadata?.resourceVersion);
    }
    const body = { metadata: { labels: { x: null } } };
    const headers = { "content-type": "application/merge-patch+json" };
    expect((await call(server, "PATCH", `${configMaps}/b`, { body, headers })).status).toBe(200);
    expect((await call(server, "DELETE", `${configMaps}/a`)).status).toBe(200);
    const listed = await call(server, "GET", `${configMaps}?labelSelector=x&resourceVersion=0`);
    const items = listed.json.items as unknown as readonly { readonly metadata: { readonly name: string } }[];
    expect(items.map(({ metadata }) => metadata.name)).toEqual(["c"]);
    await poll({ what: "all events", timeoutMs: 20_000, intervalMs: 20 }, () => watch.events.length >= 5);
    watch.close();
    expect(watch.events).toEqual(["ADDED a", "ADDED b", "ADDED c", "DELETED b", "DELETED a"]);
  });

  test("what admission and authorization rest on is known all the same", async () => {
    const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } };
    await call(server, "POST", `${path}/limitranges`, {
      body: { metadata: { name: "l" }, spec: { limits: [{ type: "Container", default: { cpu: "1" } }] } },
    });
    const limited = await poll({ what: "the limits to be seen", timeoutMs: 20_000 }, async () => {
      const { json } = await call(server, "POST", `${path}/pods?dryRun=All`, { body: pod });
      return json.metadata?.annotations?.["orchernetes.io/limit-ranger"] && json;
    });
    expect(limited.spec?.priority).toBe(0);
    const missing = await call(server, "POST", "/api/v1/namespaces/nowhere/configmaps", {
      body: { metadata: { name: "x" } },
    });
    expect(missing.status).toBe(404);
  });

  test("--enable-garbage-collector=false: deletes leave no finalizer for a garbage collector", async () => {
    await call(server, "POST", configMaps, { body: { metadata: { name: "orphaned" } } });
    await call(server, "DELETE", `${configMaps}/orphaned?propagationPolicy=Orphan`);
    await call(server, "POST", configMaps, { body: { metadata: { name: "foreground" } } });
    await call(server, "DELETE", `${configMaps}/foreground?propagationPolicy=Foreground`);
    for (const name of ["orphaned", "foreground"])
      expect((await call(server, "GET", `${configMaps}/${name}`)).status).toBe(404);
  });

  test("--orchernetes-service-node-port", async () => {
    const { json } = await call(server, "GET", `${path}/services/orchernetes`);
    expect(json.spec).toMatchObject({ type: "NodePort", ports: [{ port: 443, nodePort: 30443 }] });
    const other = await call(server, "POST", `${path}/services`, {
      body: { metadata: { name: "s" }, spec: { type: "NodePort", ports: [{ port: 1, nodePort: 30443 }] } },
    });
    expect(other.text).toContain("provided port is already allocated");
  });
});
