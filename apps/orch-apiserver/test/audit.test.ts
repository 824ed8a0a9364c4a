import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { failedStart, startApiServer, startWebhookServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, afterEach, expect, test } from "vitest";
import { call, type Json } from "./support.ts";

const directory = mkdtempSync(join(tmpdir(), "audit-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
let server: TestApiServer | undefined;
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await server?.stop();
  server = undefined;
  for (const stop of stops.splice(0)) await stop();
});

let files = 0;
const newFile = (extension: string): string => join(directory, `${++files}${extension}`);
function policyFlag(rules: readonly object[], more: object = {}): string {
  const file = newFile(".yaml");
  writeFileSync(file, JSON.stringify({ apiVersion: "audit.o8s.io/v1", kind: "Policy", rules, ...more }));
  return `--audit-policy-file=${file}`;
}
const start = async (...flags: readonly string[]): Promise<TestApiServer> => {
  server = await startApiServer({ flags });
  return server;
};
const configMap = (name: string, value = "v") => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data: { value },
});
const configMaps = "/api/v1/namespaces/default/configmaps";
const linesOf = (text: string): readonly Json[] =>
  text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Json]));
const eventsIn = (file: string): readonly Json[] => linesOf(readFileSync(file, "utf8"));
const nameOf = (event: Json): unknown => event.objectRef?.name;
const onlyConfigMaps = { resources: [{ group: "", resources: ["configmaps", "configmaps/*"] }] };

test("events have what their level says, secrets stay out of the others, and the file is the owner's", async () => {
  const log = newFile(".log");
  const api = await start(
    policyFlag(
      [
        { level: "Metadata", resources: [{ group: "", resources: ["secrets"] }] },
        { level: "RequestResponse", namespaces: ["default"], omitManagedFields: true, ...onlyConfigMaps },
        { level: "Request", nonResourceURLs: ["/version"] },
      ],
      { omitStages: ["RequestReceived"] },
    ),
    `--audit-log-path=${log}`,
  );
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, stringData: { key: "hidden-value" } };
  const made = await call(api, "POST", "/api/v1/namespaces/default/secrets", { body: secret });
  const created = await call(api, "POST", configMaps, { body: configMap("a"), headers: { "audit-id": "my-id" } });
  await call(api, "PATCH", `${configMaps}/a`, {
    raw: '{"data":{"value":"w"}}',
    headers: { "content-type": "application/merge-patch+json", "impersonate-user": "bob" },
  });
  await call(api, "GET", configMaps);
  await call(api, "GET", `${configMaps}/none`);
  await call(api, "GET", "/version");
  expect([made.status, created.status]).toEqual([201, 201]);
  expect(readFileSync(log, "utf8")).not.toContain("hidden-value");
  expect(statSync(log).mode & 0o777).toBe(0o600);
  const own = eventsIn(log).filter(({ user }) => (user?.username as unknown) === "admin");
  expect(own.map(({ verb, level, stage }) => [verb, level, stage].join(" "))).toEqual([
    "create Metadata ResponseComplete",
    "create RequestResponse ResponseComplete",
    "patch RequestResponse ResponseComplete",
    "list RequestResponse ResponseComplete",
    "get RequestResponse ResponseComplete",
    "get Request ResponseComplete",
  ]);
  const [, create, patch, list, missing] = own;
  expect(create).toMatchObject({
    kind: "Event",
    apiVersion: "audit.o8s.io/v1",
    auditID: "my-id",
    requestURI: configMaps,
    user: { username: "admin", groups: expect.arrayContaining(["system:masters"]) },
    sourceIPs: ["127.0.0.1"],
    objectRef: { resource: "configmaps", namespace: "default", name: "a", apiVersion: "v1" },
    responseStatus: { metadata: {}, code: 201 },
    requestObject: { kind: "ConfigMap", data: { value: "v" } },
    responseObject: { metadata: { uid: expect.any(String) } },
    annotations: { "authorization.o8s.io/decision": "allow" },
  });
  expect(create?.responseObject?.metadata).not.toHaveProperty("managedFields");
  expect(patch).toMatchObject({ requestObject: { data: { value: "w" } }, impersonatedUser: { username: "bob" } });
  expect(list?.responseObject).toMatchObject({ kind: "ConfigMapList" });
  expect(missing?.responseStatus).toMatchObject({ status: "Failure", reason: "NotFound", code: 404 });
});

test("kill -9 in blocking mode loses the record of no acknowledged request, and rotation loses none", async () => {
  const log = newFile(".log");
  const api = await start(
    policyFlag([{ level: "RequestResponse", verbs: ["create"], ...onlyConfigMaps }], {
      omitStages: ["RequestReceived"],
    }),
    `--audit-log-path=${log}`,
    "--audit-log-maxsize=1",
    "--audit-log-compress=false",
  );
  const acknowledged: string[] = [];
  let killed = false;
  const value = "x".repeat(20_000);
  const worker = async (id: number): Promise<void> => {
    for (let i = 0; !killed; i++) {
      const name = `c-${id}-${i}`;
      const answer = await call(api, "POST", configMaps, { body: configMap(name, value) }).catch(() => undefined);
      if (answer?.status === 201) acknowledged.push(name);
    }
  };
  const workers = [0, 1, 2, 3].map(worker);
  await expect.poll(() => acknowledged.length, { timeout: 60_000 }).toBeGreaterThan(80);
  await api.kill9();
  killed = true;
  await Promise.all(workers);
  const prefix = log.slice(directory.length + 1, -".log".length);
  const all = readdirSync(directory).filter((name) => name === `${prefix}.log` || name.startsWith(`${prefix}-`));
  expect(all.length).toBeGreaterThan(1);
  const recorded = new Set(all.flatMap((name) => eventsIn(join(directory, name)).map(nameOf)));
  expect(acknowledged.filter((name) => !recorded.has(name))).toEqual([]);
});

test("a full disk: blocking serves on and counts, blocking-strict refuses before there is an effect", async () => {
  const full = newFile(".log");
  symlinkSync("/dev/full", full);
  const flags = [policyFlag([{ level: "Metadata", ...onlyConfigMaps }]), `--audit-log-path=${full}`];
  const lax = await start(...flags);
  expect((await call(lax, "POST", configMaps, { body: configMap("a") })).status).toBe(201);
  expect((await call(lax, "GET", "/metrics")).text).toMatch(/^apiserver_audit_error_total\{plugin="log"\} [1-9]/m);
  await lax.stop();
  const strict = await start(...flags, "--audit-log-mode=blocking-strict");
  const refused = await call(strict, "POST", configMaps, { body: configMap("a") });
  expect([refused.status, refused.json?.message]).toEqual([
    500,
    expect.stringContaining("failed to store audit event"),
  ]);
  expect((await call(strict, "GET", "/metrics")).text).toMatch(/^apiserver_audit_requests_rejected_total [1-9]/m);
  expect((await call(strict, "GET", "/version")).status).toBe(200);
});

/** A client configuration of a service. */
function clientConfig(url: string, caPem: string): string {
  const file = newFile(".orchconfig");
  const ca = Buffer.from(caPem).toString("base64");
  writeFileSync(
    file,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "c", cluster: { server: `${url}/events`, "certificate-authority-data": ca } }],
      contexts: [{ name: "c", context: { cluster: "c", user: "" } }],
      "current-context": "c",
    }),
  );
  return `--audit-webhook-config-file=${file}`;
}

async function webhook() {
  const hook = await startWebhookServer({ behaviour: { type: "answer", body: () => "" } });
  stops.push(() => hook.stop());
  const received = () => hook.requests.flatMap(({ body }) => (body as { items: readonly Json[] }).items);
  return { hook, received };
}

test("a webhook gets lists of events in batches, the last ones at shutdown", async () => {
  const { hook, received } = await webhook();
  const api = await start(
    policyFlag([{ level: "Request", ...onlyConfigMaps, verbs: ["create"] }], { omitStages: ["RequestReceived"] }),
    clientConfig(hook.url, hook.caPem),
    "--audit-webhook-batch-max-size=3",
    "--audit-webhook-batch-max-wait=1h",
  );
  for (const name of ["a", "b", "c", "d"]) await call(api, "POST", configMaps, { body: configMap(name) });
  await expect.poll(() => received().map(nameOf)).toEqual(["a", "b", "c"]);
  expect(hook.requests[0]).toMatchObject({
    path: "/events",
    body: { kind: "EventList", apiVersion: "audit.o8s.io/v1", metadata: {} },
  });
  expect(received()[0]).not.toHaveProperty("kind");
  await api.stop();
  expect(received().map(nameOf)).toEqual(["a", "b", "c", "d"]);
});

test("a silent and then a dead webhook hold no request up in batch mode, and lost events are counted", async () => {
  const { hook } = await webhook();
  hook.behave({ type: "silent" });
  const api = await start(
    policyFlag([{ level: "Metadata", ...onlyConfigMaps }]),
    clientConfig(hook.url, hook.caPem),
    "--audit-webhook-batch-max-size=1",
    "--audit-webhook-batch-buffer-size=5",
    "--audit-webhook-initial-backoff=10ms",
  );
  for (let i = 0; i < 5; i++) expect((await call(api, "GET", configMaps)).status).toBe(200);
  const metrics = async () => (await call(api, "GET", "/metrics")).text;
  expect(await metrics()).toMatch(/^apiserver_audit_error_total\{plugin="buffered"\} [1-9]/m);
  await hook.stop();
  await expect.poll(metrics).toMatch(/^apiserver_audit_error_total\{plugin="webhook"\} [1-9]/m);
  expect((await call(api, "GET", configMaps)).status).toBe(200);
});

test("a request waits for a blocking webhook, and is refused by a strict one that fails", async () => {
  const { hook, received } = await webhook();
  const api = await start(
    policyFlag([{ level: "Metadata", ...onlyConfigMaps }]),
    clientConfig(hook.url, hook.caPem),
    "--audit-webhook-mode=blocking-strict",
    "--audit-webhook-initial-backoff=10ms",
  );
  await call(api, "POST", configMaps, { body: configMap("a") });
  expect(received().map(({ stage }) => stage)).toEqual(["RequestReceived", "ResponseComplete"]);
  hook.behave({ type: "answer", body: () => "", status: 403 });
  expect((await call(api, "POST", configMaps, { body: configMap("b") })).status).toBe(500);
  hook.behave({ type: "answer", body: () => "" });
  expect((await call(api, "GET", `${configMaps}/b`)).status).toBe(404);
});

test("a webhook that does not respond makes a request time out in a blocking mode, and does not affect others", async () => {
  const { hook } = await webhook();
  const api = await start(
    policyFlag([{ level: "Metadata", ...onlyConfigMaps }]),
    clientConfig(hook.url, hook.caPem),
    "--audit-webhook-mode=blocking",
    "--audit-webhook-initial-backoff=1ms",
    "--request-timeout=1s",
  );
  hook.behave({ type: "silent" });
  const late = call(api, "POST", configMaps, { body: configMap("a") });
  const watched = call(api, "GET", `${configMaps}?watch=1&timeoutSeconds=1`);
  expect((await call(api, "GET", "/version")).status).toBe(200);
  expect((await late).status).toBe(504);
  hook.behave({ type: "hangUp" });
  hook.cut();
  // Blocking without strict: a dead webhook loses records, no requests.
  expect((await watched).status).toBe(200);
  expect((await call(api, "GET", `${configMaps}/a`)).status).toBe(404);
  expect((await call(api, "POST", configMaps, { body: configMap("b") })).status).toBe(201);
  expect((await call(api, "GET", "/metrics")).text).toMatch(/^apiserver_audit_error_total\{plugin="webhook"\} [1-9]/m);
});

test("log and webhook together: each event reaches both, and a service with another certificate only loses its own", async () => {
  const { hook, received } = await webhook();
  const { hook: other } = await webhook();
  const log = newFile(".log");
  const rules = policyFlag([{ level: "Metadata", ...onlyConfigMaps }], { omitStages: ["RequestReceived"] });
  const both = await start(rules, `--audit-log-path=${log}`, clientConfig(hook.url, hook.caPem));
  await call(both, "POST", configMaps, { body: configMap("a") });
  await both.stop();
  expect([eventsIn(log).map(nameOf), received().map(nameOf)]).toEqual([["a"], ["a"]]);
  const untrusted = await start(
    rules,
    `--audit-log-path=${log}`,
    clientConfig(hook.url, other.caPem),
    "--audit-webhook-mode=blocking",
    "--audit-webhook-initial-backoff=1ms",
  );
  expect((await call(untrusted, "POST", configMaps, { body: configMap("b") })).status).toBe(201);
  expect([eventsIn(log).map(nameOf), received().map(nameOf)]).toEqual([["a", "b"], ["a"]]);
  expect(untrusted.log(1000)).toMatch(/Audit events were lost.*certificate/);
});

test("rotation under load loses no record in batch mode, and the records of streams that are refused have their status", async () => {
  const log = newFile(".log");
  const api = await start(
    policyFlag([{ level: "RequestResponse", resources: [{ group: "", resources: ["configmaps", "pods/exec"] }] }], {
      omitStages: ["RequestReceived"],
    }),
    `--audit-log-path=${log}`,
    "--audit-log-mode=batch",
    "--audit-log-maxsize=1",
    "--audit-log-compress=true",
  );
  const names = Array.from({ length: 120 }, (_, i) => `c-${i}`);
  const left = [...names];
  const value = "x".repeat(20_000);
  const worker = async (): Promise<void> => {
    for (let name = left.pop(); name !== undefined; name = left.pop())
      expect((await call(api, "POST", configMaps, { body: configMap(name, value) })).status).toBe(201);
  };
  await Promise.all(Array.from({ length: 6 }, worker));
  const exec = await call(api, "POST", "/api/v1/namespaces/default/pods/none/exec?command=x", {
    headers: { connection: "Upgrade", upgrade: "SPDY/3.1", "user-agent": "exec" },
  });
  expect(exec.status).toBe(404);
  await api.stop();
  const prefix = log.slice(directory.length + 1, -".log".length);
  const rotated = readdirSync(directory).filter((name) => name.startsWith(`${prefix}-`));
  expect(rotated.length).toBeGreaterThan(2);
  expect(rotated.every((name) => name.endsWith(".gz"))).toBe(true);
  const all = [
    ...rotated.map((name) => String(gunzipSync(readFileSync(join(directory, name))))),
    readFileSync(log, "utf8"),
  ];
  const events = all.flatMap(linesOf);
  expect(new Set(events.filter(({ verb }) => String(verb) === "create").map(nameOf))).toEqual(
    new Set([...names, "none"]),
  );
  const refused = events.filter(({ userAgent }) => String(userAgent) === "exec");
  expect(refused.map(({ stage, responseStatus }) => [stage, responseStatus?.code])).toEqual([
    ["ResponseStarted", 404],
    ["ResponseComplete", 404],
  ]);
});

test("hostile clients: long headers and bodies are bounded, broken ones make no broken lines", async () => {
  const log = newFile(".log");
  const api = await start(
    policyFlag([{ level: "RequestResponse" }], { omitStages: ["RequestReceived"] }),
    `--audit-log-path=${log}`,
    "--audit-log-truncate-enabled",
    "--audit-log-truncate-max-event-size=20000",
    "--audit-log-mode=batch",
  );
  const headers = { "user-agent": `"\\${"a".repeat(9000)}`, "x-forwarded-for": '"},1.2.3.4', "audit-id": '"}' };
  await call(api, "POST", configMaps, { body: configMap("long", "x".repeat(500_000)), headers });
  await call(api, "GET", `${configMaps}/%22%7D?a="}&b=%0a`, { headers: { "user-agent": "odd" } });
  await call(api, "GET", configMaps, { token: "wrong", headers: { "user-agent": "unknown" } });
  await api.stop();
  const find = (start: string) => eventsIn(log).find(({ userAgent }) => String(userAgent).startsWith(start));
  const long = find('"\\aaa');
  expect(String(long?.userAgent)).toHaveLength(1024 + "...TRUNCATED".length);
  expect(long).toMatchObject({
    sourceIPs: ["1.2.3.4", "127.0.0.1"],
    annotations: { "audit.o8s.io/truncated": "true" },
  });
  expect(long).not.toHaveProperty("requestObject");
  expect(find("odd")).toMatchObject({ objectRef: { name: '"}' } });
  expect(find("unknown")).toMatchObject({
    stage: "ResponseStarted",
    user: {},
    responseStatus: { status: "Failure", code: 401, reason: "Unauthorized", message: "Unauthorized" },
  });
});

test("a watch has a record when it starts and one when it ends, and the legacy format has lines", async () => {
  const log = newFile(".log");
  const api = await start(
    policyFlag([{ level: "Metadata", verbs: ["watch"] }]),
    `--audit-log-path=${log}`,
    "--audit-log-format=legacy",
  );
  await call(api, "GET", `${configMaps}?watch=1&timeoutSeconds=1`);
  const stages = () =>
    readFileSync(log, "utf8")
      .split("\n")
      .filter((line) => line.includes('user="admin"'))
      .map((line) => /stage="(\w+)".* response="(.*)"$/.exec(line)?.slice(1));
  // The last record follows the end of the response.
  await expect.poll(stages).toEqual([
    ["RequestReceived", "<deferred>"],
    ["ResponseStarted", "200"],
    ["ResponseComplete", "200"],
  ]);
});

test("every error of the policy and of the flags is reported at once", () => {
  const { code, errors } = failedStart("orch-apiserver", [
    "--storage-backend=embedded",
    `--embedded-store-path=${directory}/store`,
    policyFlag([{ level: "All" }, { level: "None", nonResourceURLs: ["x"] }]),
    `--audit-log-path=${directory}`,
    "--audit-log-mode=batch",
    "--audit-log-batch-buffer-size=0",
    "--audit-webhook-config-file=/gone/webhook",
    "--audit-webhook-truncate-enabled",
    "--audit-webhook-truncate-max-batch-size=10",
  ]);
  expect(code).toBe(1);
  const text = errors.join("\n");
  for (const part of [
    "rules[0].level",
    "rules[1].nonResourceURLs[0]",
    "is a directory; want a file",
    "--audit-log-batch-buffer-size: found 0",
    "--audit-webhook-config-file",
    "--audit-webhook-truncate-max-batch-size: found 10",
  ])
    expect(text).toContain(part);
});
