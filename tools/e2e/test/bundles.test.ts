import { readdirSync, readFileSync } from "node:fs";
import { buildBundles, bundleState, PROGRAMS } from "@orchernetes/build";
import { poll, startCluster, type TestCluster, workspaceRoot } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";

let cluster: TestCluster;
beforeAll(async () => {
  const outdated = PROGRAMS.map(({ name }) => name).filter((name) => bundleState(name).type !== "current");
  await buildBundles(outdated, () => undefined);
  cluster = await startCluster({ runtime: "process", from: "bundle", metrics: true });
});
afterAll(() => cluster?.stop());

const DAEMONS = [
  "orch-apiserver",
  "orch-scheduler",
  "orch-controller-manager",
  "orchlet-node-1",
  "orch-proxy-node-1",
  "process-runtime-node-1",
  "metrics-server",
];

/** Folder of the program that a process of the cluster runs. */
const folderOf = (name: string): string => `${workspaceRoot}dist/${name.replace(/-node-1$/, "")}/`;

test.each(DAEMONS)("%s runs from its bundle", (name) => {
  const [, script] = readFileSync(`/proc/${cluster.pid(name)}/cmdline`, "utf8").split("\0");
  expect(script).toBe(`${folderOf(name)}main.mjs`);
});

test("a pod of a deployment runs, and its log can be read", async () => {
  const client = cluster.client();
  const labels = { app: "bundled" };
  await client.request({
    method: "POST",
    path: "/apis/apps/v1/namespaces/default/deployments",
    body: {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "bundled" },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            containers: [{ name: "c", image: "localhost/busybox:1", command: ["sh", "-c", "echo hello; sleep 600"] }],
          },
        },
      },
    },
  });
  const path = "/api/v1/namespaces/default/pods";
  const name = await poll({ what: "a running pod", timeoutMs: 60_000 }, async () => {
    const { items } = (await client.request({ method: "GET", path })) as {
      readonly items: readonly {
        readonly metadata: { readonly name: string };
        readonly status: { readonly phase: string };
      }[];
    };
    return items.find((pod) => pod.status.phase === "Running")?.metadata.name;
  });
  const log = await poll({ what: "the log", timeoutMs: 30_000 }, async () => {
    const text = await client.request({ method: "GET", path: `${path}/${name}/log` });
    return text === "" ? undefined : text;
  });
  expect(log).toBe("hello\n");
});

test("what is loaded on first use is there: OpenAPI texts, worker threads, libraries", async () => {
  const client = cluster.client();
  const document = await client.request({ method: "GET", path: "/openapi/v3/api/v1" });
  expect(/Name of the object, unique among objects/.test(JSON.stringify(document))).toBe(true);
  const loaded = readdirSync(folderOf("orch-apiserver"));
  expect(loaded).toEqual(expect.arrayContaining(["yaml-worker.mjs", "yaml.cjs", "lmdb.cjs", "lmdb.node"]));
});

test.each(DAEMONS.filter((name) => name !== "process-runtime-node-1"))(
  "the log lines of %s name source files",
  (name) => {
    const callers = [...cluster.log(name, 100).matchAll(/^[IWE]\d{4} \S+ +\d+ (\S+?)\]/gm)].map(([, caller]) => caller);
    expect(callers.length).toBeGreaterThan(0);
    for (const caller of callers) expect(caller).toMatch(/^[\w.-]+\.ts:\d+$/);
  },
);
