import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { failedStart, startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call } from "./support.ts";

const dir = mkdtempSync(join(tmpdir(), "admission-plugins-"));
const file = (name: string, document: object): string => {
  const path = join(dir, name);
  writeFileSync(path, JSON.stringify(document));
  return path;
};
const head = { apiVersion: "apiserver.config.o8s.io/v1", kind: "AdmissionConfiguration" };
let server: TestApiServer;

beforeAll(async () => {
  file("selectors.json", { podNodeSelectorPluginConfig: { clusterDefaultNodeSelector: "region=west" } });
  const configuration = file("admission.json", {
    ...head,
    plugins: [
      {
        name: "EventRateLimit",
        configuration: {
          apiVersion: "eventratelimit.admission.o8s.io/v1alpha1",
          kind: "Configuration",
          limits: [{ type: "Namespace", qps: 1, burst: 2 }],
        },
      },
      { name: "PodNodeSelector", path: "selectors.json" },
      {
        name: "PodSecurity",
        configuration: {
          apiVersion: "pod-security.admission.config.o8s.io/v1",
          kind: "PodSecurityConfiguration",
          defaults: { warn: "baseline" },
          exemptions: { namespaces: ["exempt"] },
        },
      },
    ],
  });
  server = await startApiServer({
    flags: [
      `--admission-control-config-file=${configuration}`,
      "--enable-admission-plugins=EventRateLimit,PodNodeSelector,DenyServiceExternalIPs",
      "--disable-admission-plugins=ServiceAccount",
    ],
  });
  for (const name of ["open", "strict", "exempt", "changing"]) {
    const labels = { "pod-security.orchernetes.io/enforce": "restricted" };
    const metadata = { name, ...(name === "strict" || name === "exempt" ? { labels } : {}) };
    await call(server, "POST", "/api/v1/namespaces", { body: { metadata } });
  }
}, 60_000);
afterAll(async () => {
  await server?.stop();
  rmSync(dir, { recursive: true });
});

const pod = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});
const create = (namespace: string, body: object) =>
  call(server, "POST", `/api/v1/namespaces/${namespace}/pods`, { body });

test("a restricted namespace rejects pods with every reason", async () => {
  const { status, json } = await create("strict", pod("p"));
  expect([status, json["reason"]]).toEqual([403, "Forbidden"]);
  expect(json["message"]).toBe(
    'pods "p" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  );
});

test("a pod that keeps to the standard is created", async () => {
  const securityContext = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };
  const spec = {
    securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    containers: [{ name: "c", image: "i", securityContext }],
  };
  const { status, json, headers } = await create("strict", pod("good", spec));
  expect([status, headers["warning"]]).toEqual([201, undefined]);
  expect(json["spec"]?.["nodeSelector"]).toEqual({ region: "west" });
});

test("defaults of the configuration warn", async () => {
  const { status, headers } = await create("open", pod("p", { hostNetwork: true }));
  expect(status).toBe(201);
  expect(headers["warning"]).toContain(
    'would violate PodSecurity \\"baseline:latest\\": host namespaces (hostNetwork=true)',
  );
});

test("exempt namespaces are not checked", async () => {
  const { status, headers } = await create("exempt", pod("p", { hostNetwork: true }));
  expect([status, headers["warning"]]).toEqual([201, undefined]);
});

test("a stricter namespace lists the pods that it would reject", async () => {
  await create("changing", pod("p", { hostPID: true }));
  const { status, headers } = await call(server, "PATCH", "/api/v1/namespaces/changing", {
    body: { metadata: { labels: { "pod-security.orchernetes.io/enforce": "baseline" } } },
    headers: { "content-type": "application/merge-patch+json" },
  });
  expect(status).toBe(200);
  expect(headers["warning"]).toContain("p: host namespaces");
  expect((await call(server, "GET", "/metrics")).text).toMatch(
    /pod_security_evaluations_total\{decision="deny",policy_level="restricted",policy_version="latest",mode="enforce",request_operation="create",resource="pod",subresource=""\} [1-9]/,
  );
});

test("labels that are not understood are invalid", async () => {
  const labels = { "pod-security.orchernetes.io/warn": "strict" };
  const { status, json } = await call(server, "POST", "/api/v1/namespaces", {
    body: { metadata: { name: "n", labels } },
  });
  expect([status, json["reason"]]).toEqual([422, "Invalid"]);
});

test("a pod cannot choose other nodes than its namespace", async () => {
  const { status, json } = await create("open", pod("q", { nodeSelector: { region: "east" } }));
  expect([status, json["message"]]).toEqual([
    403,
    'pods "q" is forbidden: pod node label selector conflicts with its namespace node label selector',
  ]);
});

test("events beyond the rate get 429", async () => {
  const send = async (name: string) => {
    const involvedObject = { kind: "Pod", namespace: "open", name: "p" };
    const body = { metadata: { name }, involvedObject, reason: "r", type: "Normal" };
    return call(server, "POST", "/api/v1/namespaces/open/events", { body });
  };
  const answers = await Promise.all(["a", "b", "c", "d"].map(send));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]?.json["message"]).toBe("Too many requests: limit reached on type Namespace for key open");
});

test("services get no external addresses", async () => {
  const body = { metadata: { name: "s" }, spec: { ports: [{ port: 80 }], externalIPs: ["203.0.113.1"] } };
  const { status, json } = await call(server, "POST", "/api/v1/namespaces/open/services", { body });
  expect([status, json["message"]]).toEqual([
    403,
    'services "s" is forbidden: Use of external IPs is denied by admission control',
  ]);
});

test("every error of the configuration and the choice of plugins is reported at once", () => {
  const bad = file("bad.json", {
    ...head,
    plugins: [
      { name: "EventRateLimit", configuration: { apiVersion: "v1", kind: "Configuration", limits: [] } },
      { name: "PodNodeSelector", path: "gone.json" },
    ],
  });
  const { code, errors } = failedStart("orch-apiserver", [
    "--storage-backend=embedded",
    `--embedded-store-path=${dir}/store`,
    `--admission-control-config-file=${bad}`,
    "--enable-admission-plugins=EventRateLimit,PodNodeSelector,SecurityContextDeny",
  ]);
  expect(code).toBe(1);
  const wanted = [
    /^--enable-admission-plugins: SecurityContextDeny admission controller is an alpha feature/,
    /^--admission-control-config-file: file ".*bad.json", plugin "EventRateLimit", field apiVersion: invalid value "v1"/,
    /^--admission-control-config-file: file ".*bad.json", plugin "EventRateLimit", field limits: /,
    /^--admission-control-config-file: file ".*gone.json" cannot be read: ENOENT/,
  ];
  expect(errors.filter((line) => line.includes("admission"))).toEqual(
    wanted.map((text) => expect.stringMatching(text)),
  );
});
