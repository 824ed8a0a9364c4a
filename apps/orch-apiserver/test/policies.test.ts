import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { type Answer, call, type Json } from "./support.ts";

const directory = mkdtempSync(join(tmpdir(), "policies-"));
const log = join(directory, "audit.log");
const group = "/apis/admissionregistration.o8s.io/v1alpha1";
const newer = "/apis/admissionregistration.o8s.io/v1beta1";
const configMaps = "/api/v1/namespaces/default/configmaps";
const limits = "/apis/rules.example.com/v1/namespaces/default/limits";
const shirts = "/apis/rules.example.com/v1/namespaces/default/shirts";

let server: TestApiServer;
const post = (path: string, body: object): Promise<Answer> => call(server, "POST", path, { body });

const definition = (plural: string, kind: string, properties: object) => ({
  metadata: { name: `${plural}.rules.example.com` },
  spec: {
    group: "rules.example.com",
    scope: "Namespaced",
    names: { plural, kind },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties } },
      },
    ],
  },
});

beforeAll(async () => {
  const policy = join(directory, "audit.yaml");
  writeFileSync(
    policy,
    JSON.stringify({ apiVersion: "audit.o8s.io/v1", kind: "Policy", rules: [{ level: "Metadata" }] }),
  );
  server = await startApiServer({
    store: "embedded",
    authorizationMode: "Node,RBAC",
    flags: [
      "--feature-gates=ValidatingAdmissionPolicy=true",
      "--runtime-config=admissionregistration.o8s.io/v1alpha1=true,admissionregistration.o8s.io/v1beta1=true",
      `--audit-policy-file=${policy}`,
      `--audit-log-path=${log}`,
    ],
  });
  const integer = { type: "integer" };
  const definitions = "/apis/apiextensions.o8s.io/v1/customresourcedefinitions";
  await post(definitions, definition("limits", "Limit", { max: integer }));
  await post(definitions, definition("shirts", "Shirt", { size: integer }));
  await vi.waitFor(async () => expect((await call(server, "GET", shirts)).status).toBe(200), { timeout: 10_000 });
  await vi.waitFor(async () => expect((await call(server, "GET", limits)).status).toBe(200), { timeout: 10_000 });
}, 60_000);
afterAll(async () => {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

const bound: string[] = [];
/** A policy about creates of config maps or shirts that are marked for it, and its binding; returns once both are in effect. */
async function enforce(name: string, spec: object, binding: object, resource = "configmaps", version = group) {
  const rule = { apiGroups: ["", "rules.example.com"], apiVersions: ["v1"], operations: ["*"], resources: [resource] };
  const policy = await post(`${version}/validatingadmissionpolicies`, {
    metadata: { name },
    spec: {
      matchConstraints: { resourceRules: [rule], objectSelector: { matchLabels: { policy: name } } },
      validations: [{ expression: "true" }],
      ...spec,
    },
  });
  expect([policy.status, policy.text]).toEqual([201, expect.anything()]);
  expect(policy.headers.warning).toBeUndefined();
  const made = await post(`${version}/validatingadmissionpolicybindings`, {
    metadata: { name: `${name}-binding` },
    spec: { policyName: name, validationActions: ["Deny"], ...binding },
  });
  expect([made.status, made.text]).toEqual([201, expect.anything()]);
  bound.push(name);
}
afterEach(async () => {
  for (const name of bound.splice(0)) {
    await call(server, "DELETE", `${group}/validatingadmissionpolicybindings/${name}-binding`);
    await call(server, "DELETE", `${group}/validatingadmissionpolicies/${name}`);
  }
});

let objects = 0;
const marked = (policy: string, more: object = {}) => ({
  metadata: { name: `o${++objects}`, labels: { policy } },
  ...more,
});
/** Writes until the answer has the status: policies take effect a moment after they are stored. */
async function answered(status: number, path: string, body: () => object): Promise<Answer> {
  return vi.waitFor(
    async () => {
      const answer = await post(path, body());
      expect([answer.status, answer.text]).toEqual([status, expect.anything()]);
      return answer;
    },
    { timeout: 5_000, interval: 50 },
  );
}
const annotationsOf = (name: string): Json => {
  const lines = readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => line.includes(`"name":"${name}"`));
  return (JSON.parse(lines.at(-1) ?? "{}") as Json).annotations as Json;
};

test("a policy with parameters in a custom resource denies a write about a custom resource", async () => {
  expect(
    (await post(limits, { apiVersion: "rules.example.com/v1", kind: "Limit", metadata: { name: "l" }, max: 3 })).status,
  ).toBe(201);
  await enforce(
    "sizes",
    {
      paramKind: { apiVersion: "rules.example.com/v1", kind: "Limit" },
      validations: [
        { expression: "object.size > 0", message: "no size" },
        {
          expression: "object.size <= params.max",
          messageExpression: "'found ' + string(object.size) + ', want at most ' + string(params.max)",
          reason: "Forbidden",
        },
      ],
      auditAnnotations: [{ key: "size", valueExpression: "'size ' + string(object.size)" }],
    },
    { paramRef: { name: "l", namespace: "default" } },
    "shirts",
  );
  const shirt = (size: number) => () => marked("sizes", { apiVersion: "rules.example.com/v1", kind: "Shirt", size });
  const denied = await answered(403, shirts, shirt(4));
  const text = "ValidatingAdmissionPolicy 'sizes' with binding 'sizes-binding' denied request: found 4, want at most 3";
  const name = `o${objects}`;
  expect(denied.json).toMatchObject({
    reason: "Forbidden",
    message: `shirts.rules.example.com "${name}" is forbidden: ${text}`,
    details: { name, group: "rules.example.com", kind: "shirts", causes: [{ message: text }] },
  });
  expect(annotationsOf(name)).toMatchObject({ "sizes/size": "size 4" });
  expect((await post(shirts, shirt(0)())).json).toMatchObject({
    reason: "Invalid",
    code: 422,
    message: expect.stringContaining("denied request: no size"),
  });
  const made = await post(shirts, shirt(3)());
  expect(made.status).toBe(201);
  // Parameters are read as they are when a write comes.
  await call(server, "PATCH", `${limits}/l`, {
    raw: '{"max":2}',
    headers: { "content-type": "application/merge-patch+json" },
  });
  await answered(403, shirts, shirt(3));
  // What is stored already can't be changed, but can be deleted: there is no object then.
  await call(server, "DELETE", `${limits}/l`);
  const missing = await answered(422, shirts, shirt(1));
  expect(missing.json.message).toContain(
    "with binding 'sizes-binding' denied request: failed to configure binding: l not found",
  );
});

test("bindings warn and add to the audit event", async () => {
  await enforce(
    "told",
    { validations: [{ expression: "false", message: "never" }, { expression: "has(object.data)" }] },
    { validationActions: ["Warn", "Audit"] },
  );
  const answer = await vi.waitFor(async () => {
    const made = await post(configMaps, marked("told"));
    expect([made.status, made.headers.warning]).toEqual([201, expect.anything()]);
    return made;
  });
  const told = "Validation failed for ValidatingAdmissionPolicy 'told' with binding 'told-binding':";
  expect(answer.headers.warning).toBe(`299 - "${told} never", 299 - "${told} failed expression: has(object.data)"`);
  const annotation = annotationsOf(`o${objects}`)["validation.policy.admission.o8s.io/validation_failure"];
  expect(JSON.parse(String(annotation))).toMatchObject([
    { policy: "told", binding: "told-binding", validationActions: ["Warn", "Audit"] },
  ]);
});

test("what cannot be evaluated denies, or is ignored by the policy", async () => {
  const spec = { paramKind: { apiVersion: "example.com/v1", kind: "Nothing" } };
  await enforce("kindless", spec, { paramRef: { name: "x" } });
  const denied = await answered(422, configMaps, () => marked("kindless"));
  expect(denied.json.message).toContain(
    "ValidatingAdmissionPolicy 'kindless' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Nothing'",
  );
  await enforce("ignored", { ...spec, failurePolicy: "Ignore" }, { paramRef: { name: "x" } });
  await enforce("divided", { validations: [{ expression: "1 / int(object.data.n) == 1" }] }, {});
  const failed = await answered(422, configMaps, () => marked("divided", { data: { n: "0" } }));
  expect(failed.json.message).toContain(
    "denied request: expression '1 / int(object.data.n) == 1' resulted in error: division by zero",
  );
  await enforce("shrugged", { failurePolicy: "Ignore", validations: [{ expression: "object.data.n == 'a'" }] }, {});
  await answered(422, configMaps, () => marked("shrugged", { data: { n: "b" } }));
  expect((await post(configMaps, marked("shrugged"))).status).toBe(201);
  expect((await post(configMaps, marked("ignored"))).status).toBe(201);
});

test("match conditions, the requester's rights and variables", async () => {
  await enforce(
    "rights",
    {
      matchConditions: [{ name: "not-masters", expression: "!('system:masters' in request.userInfo.groups)" }],
      variables: [{ name: "may", expression: "authorizer.requestResource.check('approve').allowed()" }],
      validations: [{ expression: "variables.may", reason: "Unauthorized" }],
    },
    {},
    "configmaps",
    newer,
  );
  const role = { apiGroups: [""], resources: ["configmaps"], verbs: ["create"] };
  const rbac = "/apis/rbac.authorization.o8s.io/v1";
  await post(`${rbac}/clusterroles`, { metadata: { name: "writer" }, rules: [role] });
  await post(`${rbac}/clusterroles`, {
    metadata: { name: "approver" },
    rules: [{ ...role, verbs: ["create", "approve"] }],
  });
  for (const [user, name] of [
    ["bob", "writer"],
    ["eve", "approver"],
  ] as const) {
    await post(`${rbac}/clusterrolebindings`, {
      metadata: { name: user },
      roleRef: { apiGroup: "rbac.authorization.o8s.io", kind: "ClusterRole", name },
      subjects: [{ apiGroup: "rbac.authorization.o8s.io", kind: "User", name: user }],
    });
  }
  const as = (user: string) =>
    call(server, "POST", configMaps, { body: marked("rights"), headers: { "impersonate-user": user } });
  await vi.waitFor(async () => expect((await as("bob")).status).toBe(401), { timeout: 5_000 });
  await vi.waitFor(async () => expect((await as("eve")).status).toBe(201), { timeout: 5_000 });
  expect((await post(configMaps, marked("rights"))).status).toBe(201);
});

test("expressions that do not compile are refused", async () => {
  const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps"] };
  const answer = await post(`${group}/validatingadmissionpolicies`, {
    metadata: { name: "wrong" },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      matchConditions: [{ name: "c", expression: "object.x" }],
      validations: [{ expression: "params.x == 1" }],
    },
  });
  expect(answer.status).toBe(422);
  expect(answer.json.details?.causes).toMatchObject([
    { field: "spec.matchConditions[0].expression", message: 'Invalid value: "object.x": must evaluate to bool' },
    {
      field: "spec.validations[0].expression",
      message: expect.stringContaining("compilation failed: ERROR: <input>:1:1: undeclared reference to 'params'"),
    },
  ]);
});

test("policies are counted", async () => {
  const { text: page } = await call(server, "GET", "/metrics");
  const text = page
    .split("\n")
    .filter((line) => /^apiserver_(?:cel|validating)_.*(?:_total|_count)/.test(line))
    .join("\n");
  for (const [name, labels] of [
    [
      "validating_admission_policy_check_total",
      'policy="sizes",policy_binding="sizes-binding",enforcement_action="deny",state="active"',
    ],
    ["validating_admission_policy_definition_total", 'state="active",enforcement_action="deny"'],
    ["cel_compilation_duration_seconds_count", ""],
    ["cel_evaluation_duration_seconds_count", ""],
  ])
    expect(text).toContain(`apiserver_${name}${labels === "" ? " " : `{${labels}} `}`);
});

test("the status of a policy names the expressions that do not fit the types of its rules", async () => {
  const path = `${group}/validatingadmissionpolicies`;
  const rule = (apiGroups: readonly string[], apiVersions: readonly string[], resources: readonly string[]) => ({
    apiGroups,
    apiVersions,
    operations: ["*"],
    resources,
  });
  const status = (name: string, generation: number): Promise<Json> =>
    vi.waitFor(
      async () => {
        const found = (await call(server, "GET", `${path}/${name}`)).json.status ?? {};
        expect(found.observedGeneration).toBe(generation);
        return found;
      },
      { timeout: 5_000, interval: 20 },
    );
  const define = async (name: string, resourceRules: readonly object[], expressions: readonly string[]) => {
    const validations = expressions.map((expression) => ({ expression }));
    const made = await post(path, { metadata: { name }, spec: { matchConstraints: { resourceRules }, validations } });
    expect([made.status, made.text]).toEqual([201, expect.anything()]);
    bound.push(name);
  };
  await define(
    "typed",
    [rule(["rules.example.com", "apps"], ["v1"], ["shirts", "deployments", "deployments/status"])],
    [
      "object.metadata.labels['a'] == 'b' || has(oldObject.metadata.annotations)",
      "object.size > 3",
      "object.spec.replicas > '1'",
      "authorizer.path('/a').check('get').allowed()",
    ],
  );
  expect((await status("typed", 1)).typeChecking).toEqual({
    expressionWarnings: [
      {
        fieldRef: "spec.validations[1].expression",
        warning: "apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'size'\n | object.size > 3\n | ......^",
      },
      {
        fieldRef: "spec.validations[2].expression",
        warning: expect.stringMatching(
          /^apps\/v1, Kind=Deployment: .*found no matching overload for '_>_' applied to '\(int, string\)'[\s\S]*\nrules.example.com\/v1, Kind=Shirt: .*undefined field 'spec'/,
        ),
      },
    ],
  });
  const repaired = { spec: { validations: [{ expression: "has(object.metadata.name)" }] } };
  await call(server, "PATCH", `${path}/typed`, {
    body: repaired,
    headers: { "content-type": "application/merge-patch+json" },
  });
  expect((await status("typed", 2)).typeChecking).toEqual({});

  await define(
    "of-many-kinds",
    [
      rule([""], ["v1"], ["pods", "nodes", "services"]),
      rule(["apps"], ["*"], ["daemonsets"]),
      rule(["apiextensions.o8s.io"], ["v1"], ["customresourcedefinitions"]),
    ],
    [
      "!has(object.spec.containers) || object.spec.containers.all(c, c.resources.limits.all(k, c.resources.limits[k] != '1'))",
      "!has(object.spec.ports) || object.spec.ports.all(p, p.targetPort == 80 || p.targetPort == 'http')",
      "object.spec.versions[0].schema.openAPIV3Schema.properties['a'].properties['b'].type == 'string'",
      "object.metadata.creationTimestamp > timestamp('2020-01-01T00:00:00Z')",
    ],
  );
  const { expressionWarnings = [] } = (await status("of-many-kinds", 1)).typeChecking as {
    readonly expressionWarnings?: readonly { readonly fieldRef: string; readonly warning: string }[];
  };
  const kindsOf = (i: number) =>
    [
      ...(expressionWarnings.find(({ fieldRef }) => fieldRef.includes(`[${i}]`))?.warning ?? "").matchAll(
        /Kind=(\w+)/g,
      ),
    ].map(([, kind]) => kind);
  expect([0, 1, 2, 3].map(kindsOf)).toEqual([
    ["Node", "Service", "CustomResourceDefinition"],
    ["Node", "Pod", "CustomResourceDefinition"],
    ["Node", "Pod", "Service"],
    [],
  ]);
});
