import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call } from "./support.ts";

const servers: TestApiServer[] = [];
const start = async (...flags: string[]): Promise<TestApiServer> => {
  const server = await startApiServer({ flags });
  servers.push(server);
  return server;
};
const page = async (server: TestApiServer) => (await call(server, "GET", "/metrics")).text;
/** The value of the first series whose name and labels match. */
const sampleOf = (text: string, series: RegExp): number | undefined => {
  const line = text.split("\n").find((candidate) => series.test(candidate));
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(" ") + 1));
};

let server: TestApiServer;
beforeAll(async () => {
  server = await start("--authorization-mode=RBAC");
  const maps = "/api/v1/namespaces/default/configmaps";
  const body = { metadata: { name: "a" }, data: { k: "v" } };
  await call(server, "POST", maps, { body });
  await call(server, "POST", `${maps}?dryRun=All&fieldValidation=Strict`, { body: { metadata: { name: "b" } } });
  await call(server, "PUT", `${maps}/a`, { body });
  const apply = { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "c" } };
  const headers = { "content-type": "application/apply-patch+yaml" };
  await call(server, "PATCH", `${maps}/c?fieldManager=t`, { body: apply, headers });
  await call(server, "PATCH", `${maps}/a`, { body: {}, headers: { "content-type": "application/merge-patch+json" } });
  await call(server, "GET", `${maps}/a`);
  await call(server, "GET", maps);
  await call(server, "GET", "/api/v1/pods?fieldSelector=spec.nodeName=n");
  await call(server, "GET", `${maps}?watch=true&timeoutSeconds=1`);
  await call(server, "DELETE", `${maps}/a`);
  await call(server, "GET", "/api/v1/namespaces/default/nothings/x");
  await call(server, "GET", "/apis/flowcontrol.apiserver.o8s.io/v1beta2/flowschemas");
  await call(server, "GET", "/api/v1/componentstatuses");
  await call(server, "GET", "/no/such/path");
  const service = { metadata: { name: "s" }, spec: { type: "NodePort", ports: [{ port: 80 }] } };
  await call(server, "POST", "/api/v1/namespaces/default/services", { body: service });
  await call(server, "GET", "/livez");
  await call(server, "GET", maps, { token: "nobody's" });
}, 60_000);
afterAll(async () => {
  for (const each of servers) await each.stop();
});

const request = (labels: string) =>
  new RegExp(`^apiserver_request_total\\{${labels},component="apiserver",code="\\d+"`);
const configMaps = (verb: string, scope: string, dryRun = "") =>
  `verb="${verb}",dry_run="${dryRun}",group="",version="v1",resource="configmaps",subresource="",scope="${scope}"`;

test.each([
  ["a create", request(configMaps("POST", "resource")), 1],
  ["a dry run", request(configMaps("POST", "resource", "All")), 1],
  ["an update", request(configMaps("PUT", "resource")), 1],
  ["a patch", request(configMaps("PATCH", "resource")), 1],
  ["an apply", request(configMaps("APPLY", "resource")), 1],
  ["a get", request(configMaps("GET", "resource")), 1],
  ["a list", request(configMaps("LIST", "namespace")), 1],
  ["a watch", request(configMaps("WATCH", "namespace")), 1],
  ["a delete", request(configMaps("DELETE", "resource")), 1],
  ["a probe", /^apiserver_request_total\{verb="GET".*,resource="",subresource="\/livez".*code="200"/, 1],
  ["body sizes", /^apiserver_request_body_sizes_count\{resource="configmaps",verb="create"/, 2],
  ["answers to reads", /^apiserver_response_sizes_count\{verb="GET",.*resource="configmaps"/, 1],
  ["field validation", /^field_validation_request_duration_seconds_count\{field_validation="Strict"/, 1],
  [
    "validating admission",
    /^apiserver_admission_step_admission_duration_seconds_count\{type="validate",operation="CREATE",rejected="false"/,
    3,
  ],
  [
    "a plugin",
    /^apiserver_admission_controller_admission_duration_seconds_count\{name="NamespaceLifecycle".*operation="CREATE"/,
    3,
  ],
  ["failed logins", /^authentication_attempts\{result="error"/, 1],
  ["lists from an index", /^apiserver_cache_list_total\{resource_prefix="\/pods",index="f:spec.nodeName"/, 1],
  ["first events of a watch", /^apiserver_init_events_total\{resource="configmaps"/, 2],
  [
    "a deprecated API",
    /^apiserver_requested_deprecated_apis\{group="flowcontrol.apiserver.o8s.io",version="v1beta2".*removed_release="1.29"/,
    1,
  ],
  [
    "a deprecated API that nobody removes",
    /^apiserver_requested_deprecated_apis\{group="",version="v1",resource="componentstatuses",.*removed_release=""/,
    1,
  ],
  ["calls of the store", /^etcd_request_duration_seconds_count\{operation="create",type="configmaps"/, 2],
  ["a feature", /^orchernetes_feature_enabled\{name="APIServerTracing",stage="BETA"/, 1],
  ["a cluster IP", /^orch_apiserver_clusterip_allocator_allocation_total\{cidr="[^"]+",scope="dynamic"/, 1],
  ["a node port", /^orch_apiserver_nodeport_allocator_allocated_ports /, 1],
  ["a health check", /^orchernetes_healthcheck\{name="ping",type="livez"/, 1],
])("%s is counted", async (_, series, least) => {
  expect(sampleOf(await page(server), series)).toBeGreaterThanOrEqual(least);
});

test("requests for what is not there make no series of their own", async () => {
  const text = await page(server);
  expect(text).not.toContain("nothings");
  expect(text).not.toContain("/no/such/path");
});

test("flow control exports metrics of its levels", async () => {
  const text = await page(server);
  for (const name of ["nominal_limit_seats", "lower_limit_seats", "upper_limit_seats", "current_limit_seats"])
    expect(sampleOf(text, new RegExp(`^apiserver_flowcontrol_${name}\\{priority_level="catch-all"`))).toBeGreaterThan(
      0,
    );
  expect(sampleOf(text, /^apiserver_flowcontrol_request_execution_seconds_count\{.*type="regular"/)).toBeGreaterThan(0);
});

test("help texts contain the stability of a metric", async () => {
  const text = await page(server);
  expect(text).toMatch(/^# HELP apiserver_request_total \[STABLE\] /m);
  expect(text).toMatch(/^# HELP apiserver_request_sli_duration_seconds \[ALPHA\] /m);
  expect(text).toMatch(/^# HELP apiserver_request_slo_duration_seconds \[ALPHA\] \(Deprecated since 1\.27\.0\) /m);
  expect(text).toMatch(/^# HELP orchernetes_feature_enabled \[BETA\] /m);
});

test("--disabled-metrics and --allow-metric-labels", async () => {
  const other = await start(
    "--disabled-metrics=apiserver_request_duration_seconds",
    "--allow-metric-labels=apiserver_request_total,verb=LIST",
  );
  await call(other, "GET", "/api/v1/nodes");
  const text = await page(other);
  expect(text).not.toContain("apiserver_request_duration_seconds");
  const verbs = new Set([...text.matchAll(/^apiserver_request_total\{verb="([^"]*)"/gm)].map(([, verb]) => verb));
  expect(verbs).toEqual(new Set(["LIST", "unexpected"]));
  expect(sampleOf(text, /^disabled_metric_total /)).toBe(1);
}, 30_000);
