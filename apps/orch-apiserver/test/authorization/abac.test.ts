import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { failedStart, startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call } from "../support.ts";

const dir = mkdtempSync(join(tmpdir(), "abac-"));
const policyFile = join(dir, "policies.jsonl");
const policy = (spec: object): string =>
  JSON.stringify({ apiVersion: "abac.authorization.orchernetes.io/v1beta1", kind: "Policy", spec });

let server: TestApiServer;
beforeAll(async () => {
  const lines = [
    "# who may do what",
    policy({ user: "reader", readonly: true, resource: "*", namespace: "*", apiGroup: "*", nonResourcePath: "*" }),
    policy({ user: "writer", resource: "configmaps", namespace: "default" }),
    policy({ user: "boss", resource: "roles", namespace: "default", apiGroup: "rbac.authorization.o8s.io" }),
    policy({ user: "minor", readonly: true, resource: "configmaps", namespace: "default" }),
    '{"user":"old","resource":"configmaps","readonly":true}',
  ];
  writeFileSync(policyFile, lines.join("\n"));
  server = await startApiServer({
    authorizationMode: "ABAC,RBAC",
    flags: [`--authorization-policy-file=${policyFile}`],
  });
}, 60_000);
afterAll(async () => {
  await server.stop();
  rmSync(dir, { recursive: true });
});

const configMaps = "/api/v1/namespaces/default/configmaps";
const as = (user: string, method: string, path: string, body?: object) =>
  call(server, method, path, {
    body,
    headers: { "Impersonate-User": user, "Impersonate-Group": "system:authenticated" },
  });

test.each<[user: string, method: string, path: string, status: number]>([
  ["reader", "GET", configMaps, 200],
  ["reader", "GET", "/apis/apps/v1/deployments", 200],
  ["reader", "GET", "/metrics", 200],
  ["reader", "POST", configMaps, 403],
  ["writer", "POST", configMaps, 201],
  ["writer", "GET", "/api/v1/namespaces/orch-system/configmaps", 403],
  ["writer", "GET", "/metrics", 403],
  ["old", "GET", "/api/v1/configmaps", 200],
  ["old", "GET", "/metrics", 403],
  // What RBAC grants everybody is granted after ABAC, too.
  ["stranger", "GET", "/apis", 200],
  ["stranger", "GET", configMaps, 403],
])("%s: %s %s is answered with %d", async (user, method, path, status) => {
  const body = method === "POST" ? { metadata: { generateName: "a-" } } : undefined;
  expect((await as(user, method, path, body)).status).toBe(status);
});

test("a refusal says that no policy matched", async () => {
  const { json } = await as("writer", "GET", "/api/v1/namespaces/default/secrets");
  expect(json.message).toMatch(/cannot list resource "secrets" .* in the namespace "default": No policy matched\./);
});

test("rules of policies are listed besides those of roles", async () => {
  const { json } = await as("writer", "POST", "/apis/authorization.o8s.io/v1/selfsubjectrulesreviews", {
    spec: { namespace: "default" },
  });
  expect(json.status?.incomplete).toBe(false);
  expect(json.status?.resourceRules).toEqual(
    expect.arrayContaining([
      { verbs: ["*"], apiGroups: [""], resources: ["configmaps"] },
      { verbs: ["create"], apiGroups: ["authorization.o8s.io"], resources: expect.any(Array) },
    ]),
  );
});

test("a right from a policy cannot be passed on in a role, unless the policy allows to escalate", async () => {
  const role = {
    metadata: { generateName: "r-" },
    rules: [{ verbs: ["get"], apiGroups: [""], resources: ["configmaps"] }],
  };
  const roles = "/apis/rbac.authorization.o8s.io/v1/namespaces/default/roles";
  expect((await as("boss", "POST", roles, role)).status).toBe(201);
  const grant = {
    metadata: { name: "minor" },
    rules: [{ verbs: ["create"], apiGroups: ["rbac.authorization.o8s.io"], resources: ["roles"] }],
  };
  expect((await call(server, "POST", roles, { body: grant })).status).toBe(201);
  const subjects = [{ kind: "User", name: "minor", apiGroup: "rbac.authorization.o8s.io" }];
  const roleRef = { apiGroup: "rbac.authorization.o8s.io", kind: "Role", name: "minor" };
  const binding = { metadata: { name: "minor" }, subjects, roleRef };
  await call(server, "POST", roles.replace("roles", "rolebindings"), { body: binding });
  const refused = async () => (await as("minor", "POST", roles, role)).json.message;
  await expect.poll(refused).toMatch(/attempting to grant RBAC permissions not currently held/);
});

test.each<[string, string, readonly string[], readonly (string | RegExp)[]]>([
  [
    "bad lines",
    "{\n# comment\n[]",
    ["--authorization-mode=ABAC"],
    [
      /^--authorization-policy-file: ".*", line 1: not valid JSON/,
      /^--authorization-policy-file: ".*", line 3: found no JSON object/,
    ],
  ],
  [
    "a file without the mode",
    "",
    ["--authorization-mode=RBAC"],
    [/^--authorization-policy-file: found ".*"; it can only be given with --authorization-mode=ABAC$/],
  ],
  [
    "the mode without a file",
    "",
    ["--authorization-mode=ABAC", "--authorization-policy-file="],
    ["--authorization-policy-file: not given; --authorization-mode=ABAC needs it"],
  ],
])("%s are reported at start", (_name, text, flags, want) => {
  const path = join(dir, "bad.jsonl");
  writeFileSync(path, text);
  const base = ["--etcd-servers=http://127.0.0.1:1", `--authorization-policy-file=${path}`];
  const { code, errors } = failedStart("orch-apiserver", [...base, ...flags]);
  expect(code).toBe(1);
  expect(errors).toEqual(want.map((one) => (typeof one === "string" ? one : expect.stringMatching(one))));
});
