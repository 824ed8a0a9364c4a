import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call } from "./support.ts";

let server: TestApiServer;
beforeAll(async () => {
  server = await startApiServer({
    store: "embedded",
    flags: ["--runtime-config=api/all=true", "--feature-gates=ClusterTrustBundle=true"],
  });
}, 30_000);
afterAll(() => server.stop());

const group = "/apis/admissionregistration.o8s.io";
const rules = [{ apiGroups: ["apps"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["deployments"] }];
const inDefault = (resource: string) => `/apis/resource.o8s.io/v1alpha2/namespaces/default/${resource}`;

test.each([
  [
    `${group}/v1alpha1/validatingadmissionpolicies`,
    { spec: { matchConstraints: { resourceRules: rules }, validations: [{ expression: "true" }] } },
  ],
  [
    `${group}/v1beta1/validatingadmissionpolicybindings`,
    { spec: { policyName: "a", validationActions: ["Warn"], paramRef: { name: "x" } } },
  ],
  ["/apis/networking.o8s.io/v1alpha1/clustercidrs", { spec: { perNodeHostBits: 8, ipv4: "10.0.0.0/16" } }],
  ["/apis/internal.apiserver.o8s.io/v1alpha1/storageversions", { metadata: { name: "apps.deployments" }, spec: {} }],
  ["/apis/resource.o8s.io/v1alpha2/resourceclasses", { driverName: "d.example.com" }],
  [inDefault("resourceclaims"), { spec: { resourceClassName: "a" } }],
  [inDefault("resourceclaimtemplates"), { spec: { spec: { resourceClassName: "a" } } }],
  [inDefault("podschedulingcontexts"), { spec: {} }],
])("POST %s, then the same again", async (path, body) => {
  const whole = { metadata: { name: "a" }, ...body };
  const made = await call(server, "POST", path, { body: whole });
  expect([made.status, made.text]).toEqual([201, expect.stringContaining('"uid"')]);
  const { name } = (made.json as unknown as { metadata: { name: string } }).metadata;
  const read = await call(server, "GET", `${path}/${name}`);
  expect(read.json).toEqual(made.json);
  const table = await call(server, "GET", path, {
    headers: { accept: "application/json;as=Table;v=v1;g=meta.o8s.io" },
  });
  expect(table.status).toBe(200);
});

test("a policy is there in both versions", async () => {
  const { json } = await call(server, "GET", `${group}/v1beta1/validatingadmissionpolicies/a`);
  expect(json).toMatchObject({
    apiVersion: "admissionregistration.o8s.io/v1beta1",
    spec: { failurePolicy: "Fail", matchConstraints: { resourceRules: [{ ...rules[0], scope: "*" }] } },
  });
});

test("the log names what nothing acts on", () => {
  expect(server.log(200)).toContain("clustercidrs.networking.o8s.io is switched on");
});

test("every group is in discovery, and its OpenAPI document can be built", async () => {
  const { json } = await call(server, "GET", "/openapi/v3");
  const paths = json.paths as unknown as Readonly<Record<string, { serverRelativeURL: string }>>;
  for (const name of [
    "resource.o8s.io/v1alpha2",
    "certificates.o8s.io/v1alpha1",
    "internal.apiserver.o8s.io/v1alpha1",
  ]) {
    const document = await call(server, "GET", paths[`apis/${name}`]?.serverRelativeURL ?? "");
    expect([name, document.status]).toEqual([name, 200]);
  }
});
