import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { poll, startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { PodExplanation } from "../src/explain/explanation.ts";
import { type AskedScheduler, run, startAskedScheduler } from "./commands.ts";
import { schedulerClientConfig, type World, world } from "./fixture.ts";

let server: TestApiServer;
let scheduler: AskedScheduler;
let file: string;
let w: World;
let dir: string;

const LABEL = "example.com/team";
/** A plugin that holds some pods, and fails for others, by their label. */
const ODD = `export default {
  name: "Odd",
  points: ["preFilter", "postFilter", "permit"],
  create: () => ({
    name: "Odd",
    preFilter({ pod }) {
      if (pod.metadata.labels?.odd === "fail") throw new Error("odd");
    },
    postFilter({ pod: { pod } }) {
      if (pod.metadata.labels?.odd === "hopeless") throw new Error("no remedy");
      return { type: "none", message: "", keepNomination: true };
    },
    permit: ({ pod }) => (pod.metadata.labels?.odd === "hold" ? { type: "wait", timeoutMs: 60_000 } : undefined),
  }),
};`;
const example = join(import.meta.dirname, "../../../docs/examples/scheduler-plugins/quiet-hours.ts");

beforeAll(async () => {
  server = await startApiServer({ authorizationMode: "RBAC", flags: ["--disable-admission-plugins=ServiceAccount"] });
  // A module needs nothing of the repository at run time.
  dir = await mkdtemp(join(tmpdir(), "o8s-scheduler-plugin-"));
  const module = join(dir, "quiet-hours.ts");
  await copyFile(example, module);
  const hour = new Date().getUTCHours();
  const odd = join(dir, "odd.js");
  await writeFile(odd, ODD);
  const selected = (name: string, entry: object) => ({
    pluginConfig: [{ name, ...entry }],
    plugins: { multiPoint: { enabled: [{ name, weight: 10 }] } },
  });
  const plugin = (team: string, from: number, until: number) => ({
    schedulerName: team,
    ...selected("QuietHours", { module, args: { team, from, until } }),
  });
  file = join(dir, "scheduler.json");
  await writeFile(
    file,
    JSON.stringify({
      apiVersion: "orchscheduler.config.o8s.io/v1",
      kind: "OrchSchedulerConfiguration",
      clientConnection: { orchconfig: schedulerClientConfig(server) },
      // The second one starts no pods: its hours are over, or far away.
      profiles: [
        { schedulerName: "odd", ...selected("Odd", { module: odd }) },
        plugin("blue", 0, 24),
        hour < 12 ? plugin("red", 22, 23) : plugin("red", 0, 1),
      ],
    }),
  );
  scheduler = await startAskedScheduler(server, [`--config=${file}`]);
  w = world(server.client(), "plugins");
  await w.setUp();
}, 60_000);

afterAll(async () => {
  await scheduler?.daemon.stop();
  await server?.stop();
  await rm(dir, { recursive: true, force: true });
});

test("the example of docs/scheduler-plugins.md filters, permits and reports", async () => {
  await w.addNode("common", "8");
  await w.create("p", "1", { schedulerName: "blue" }, { [LABEL]: "blue" });
  expect((await w.unscheduled("p")).message).toContain("1 node(s) were not reserved for team blue");
  // The events of the plugin wake the pod.
  await w.patchNode("common", { metadata: { labels: { [LABEL]: "blue" } } });
  expect(await w.nodeOf("p")).toBe("common");
  expect(await w.event("p", "TeamPod")).toMatchObject({
    type: "Normal",
    message: "pod of team blue was bound to node common",
    action: "Binding",
    related: { kind: "Node", name: "common" },
    reportingComponent: "blue",
  });
  await w.patchNode("common", { metadata: { labels: { [LABEL]: "red" } } });
  await w.create("q", "1", { schedulerName: "red" }, { [LABEL]: "red" });
  const { reason, message } = await w.unscheduled("q");
  expect([reason, message]).toEqual(["Unschedulable", expect.stringMatching(/^pods of team red start from \d+ to/)]);
  expect((await w.pod("q")).spec.nodeName).toBeUndefined();
});

test("explain and snapshots know the plugin; its module is loaded only if the user's configuration names it", async () => {
  await w.create("r", "1", { schedulerName: "blue" }, { [LABEL]: "blue" });
  await w.unscheduled("r");
  const refusal = { plugin: "QuietHours", reasons: ["node(s) were not reserved for team blue"] };
  const explain = async (...args: string[]): Promise<PodExplanation> => {
    const { out, errors } = await run("explain", "plugins/r", "-o", "json", ...args);
    expect(errors).toBe("");
    return JSON.parse(out) as PodExplanation;
  };
  expect(await explain(...scheduler.connection)).toMatchObject({ nodes: { nearest: [{ refusals: [refusal] }] } });
  const snapshot = join(dir, "snapshot.json");
  expect(await run("snapshot", `--out=${snapshot}`, ...scheduler.connection)).toMatchObject({ code: 0 });
  const known = await explain(`--from=${snapshot}`, `--config=${file}`);
  expect(known).toMatchObject({ decision: { type: "unschedulable" }, nodes: { nearest: [{ refusals: [refusal] }] } });
  expect(known.leftOut).toBeUndefined();
  const without = await explain(`--from=${snapshot}`);
  expect(without).toMatchObject({
    decision: { type: "node", node: "common" },
    leftOut: ["plugin Odd of profile odd", "plugin QuietHours of profile blue", "plugin QuietHours of profile red"],
  });
  expect(await run("explain", "plugins/r", `--config=${file}`, ...scheduler.connection)).toMatchObject({
    code: 1,
    errors: expect.stringContaining("--config: want it together with --from"),
  });
});

test("a pod that waits on Permit is preempted by rejecting it, with the event of Kubernetes", async () => {
  await w.addNode("held", "1", {}, { only: "held" });
  const spec = { schedulerName: "odd", nodeSelector: { only: "held" } };
  await w.create("waiting", "1", spec, { odd: "hold" });
  await poll({ what: "the hold" }, async () => {
    const { out } = await run("explain", "plugins/waiting", ...scheduler.connection);
    return out.includes("held by Permit plugins: Odd");
  });
  await w.create("urgent", "1", { ...spec, priorityClassName: "system-node-critical" });
  expect(await w.nodeOf("urgent")).toBe("held");
  expect(await w.event("waiting", "Preempted")).toMatchObject({ message: "Preempted by a pod on node held" });
  expect((await w.unscheduled("waiting")).message).not.toBe("");
  expect((await w.pod("waiting")).metadata.deletionTimestamp).toBeUndefined();
});

test("an attempt that ends with an error ends an earlier nomination", async () => {
  await w.create("failing", "1", { schedulerName: "odd" }, { odd: "fail" });
  expect(await w.unscheduled("failing")).toMatchObject({
    reason: "SchedulerError",
    message: 'running PreFilter plugin "Odd": odd',
  });
  const path = "/api/v1/namespaces/plugins/pods/failing/status";
  const body = { status: { nominatedNodeName: "held" } };
  const contentType = "application/merge-patch+json";
  await server.client().request({ method: "PATCH", path, contentType, body });
  await poll(
    { what: "the end of the nomination", timeoutMs: 30_000 },
    async () => (await w.pod("failing")).status.nominatedNodeName === undefined,
  );
});

test("an error of a post-filter is a part of the message of a pod that fits no node, as in the original", async () => {
  await w.addNode("full", "1");
  await w.create("hopeless", "999", { schedulerName: "odd" }, { odd: "hopeless" });
  const { reason, message } = await w.unscheduled("hopeless");
  expect([reason, message]).toEqual([
    "Unschedulable",
    expect.stringMatching(/^0\/\d+ nodes are available: [^.]*\d+ Insufficient cpu[^.]*\. no remedy\.$/),
  ]);
  const { out } = await run("explain", "plugins/hopeless", ...scheduler.connection);
  expect(out).toContain("State: waiting for an event that may help");
  expect(out).toContain("Odd: the plugin fails: no remedy");
  expect(scheduler.daemon.log(500)).toMatch(/A PostFilter plugin failed/);
});
