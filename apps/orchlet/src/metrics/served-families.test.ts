import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FakeObject, startFakeApiServer } from "@orchernetes/client/testing";
import { silentLogger } from "@orchernetes/kernel";
import { freePort } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { startAgent } from "../server.ts";
import { testConfig } from "../testing/config.ts";
import { testPod } from "../testing/pods.ts";
import { createFakeRuntime } from "../testing/runtime.ts";

/** Families of the original that this agent does not have, with the reason. */
const absent: Readonly<Record<string, string>> = {
  orchlet_started_host_process_containers_total: "Windows",
  orchlet_started_host_process_containers_errors_total: "Windows",
};

/** Families that are there only with a setting, which have tests of their own. */
const conditional: readonly RegExp[] = [
  /^orchlet_evented_pleg_/,
  /^orchlet_credential_provider_plugin_/,
  /^orchlet_graceful_shutdown_/,
];

/** Families that appear with their first sample. */
const onUse: readonly RegExp[] = [
  /^orchlet_cgroup_manager_duration_seconds$/,
  /^orchlet_cpu_manager_pinning_/,
  /^orchlet_device_plugin_/,
  /^orchlet_eviction/,
  /^orchlet_pod_resources_endpoint_/,
  /^orchlet_preemptions$/,
  /^orchlet_restarted_pods_total$/,
  /^orchlet_(run_podsandbox|runtime_operations|started_containers)_errors_total$/,
  /^orchlet_volume_(stats|metric_collection)_/,
];

const facts = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../../packages/testkit/facts/metrics.json"), "utf8"),
) as { readonly metrics: readonly { readonly name: string; readonly type: string }[] };

/** The types of the families on a page. */
const families = (page: string): ReadonlyMap<string, string> =>
  new Map([...page.matchAll(/^# TYPE (orchlet_\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => [name, type]));

test("the page has the metrics of the kubelet, and no others", async () => {
  const dir = mkdtempSync(join(tmpdir(), "o8s-families-"));
  mkdirSync(join(dir, "manifests"));
  const api = await startFakeApiServer();
  const readOnlyPort = await freePort();
  const runtime = createFakeRuntime();
  const settings = { address: "127.0.0.1", readOnlyPort, staticPodPath: join(dir, "manifests") };
  const agent = await startAgent(
    testConfig(dir, { settings, api: { server: api.url }, featureEnabled: (gate) => gate === "OrchletPodResources" }),
    { logger: silentLogger, signal: new AbortController().signal, explicit: new Set(), flushLogs: () => undefined },
    () => runtime.cri,
  );
  try {
    const pod = testPod({ nodeName: "node-a" }, { creationTimestamp: new Date().toISOString() });
    api.put("/api/v1/pods", pod as unknown as FakeObject);
    const page = async () => (await fetch(`http://127.0.0.1:${readOnlyPort}/metrics`)).text();
    await expect.poll(page, { timeout: 20_000 }).toContain("orchlet_pod_start_duration_seconds_count 1");
    await expect.poll(page, { timeout: 20_000 }).toMatch(/orchlet_pod_status_sync_duration_seconds_count [1-9]/);
    const text = await page();
    expect(text).toContain('orchlet_started_containers_total{container_type="container"} 1');
    expect(text).toContain('orchlet_pod_worker_duration_seconds_count{operation_type="create"} 1');
    expect(text).toContain('orchlet_working_pods{lifecycle="sync",config="desired",static=""} 1');

    const served = families(text);
    const isConditional = (name: string) => [...conditional, ...onUse].some((pattern) => pattern.test(name));
    const want = facts.metrics.filter(
      ({ name }) => name.startsWith("orchlet_") && absent[name] === undefined && !isConditional(name),
    );
    expect([...served].filter(([name]) => !isConditional(name)).toSorted()).toEqual(
      want.map(({ name, type }): [string, string] => [name, type.toLowerCase()]).toSorted(),
    );
  } finally {
    await agent.stop();
    await api.close();
    rmSync(dir, { recursive: true, force: true });
  }
}, 60_000);
