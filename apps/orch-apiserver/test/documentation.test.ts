import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call } from "./support.ts";

const run = promisify(execFile);
const kubectl = [process.env.KUBECTL ?? "", "/usr/bin/kubectl", "/usr/local/bin/kubectl"].find(
  (path) => path !== "" && existsSync(path),
);

let server: TestApiServer;
beforeAll(async () => {
  server = await startApiServer();
}, 60_000);
afterAll(() => server?.stop());

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
}

/** Types and fields without a description. */
const undescribed = (schemas: Readonly<Record<string, Schema>>): readonly string[] =>
  Object.entries(schemas).flatMap(([name, { description, properties = {} }]) => [
    ...(description === undefined ? [name] : []),
    ...Object.entries(properties)
      .filter(([, property]) => property.description === undefined)
      .map(([field]) => `${name}.${field}`),
  ]);

test("version 2 describes every type and field", async () => {
  const { json } = await call(server, "GET", "/openapi/v2");
  const definitions = json.definitions as Readonly<Record<string, Schema>>;
  expect(undescribed(definitions)).toEqual([]);
  expect(definitions["io.o8s.api.core.v1.Container"]?.properties?.image?.description).toMatch(/image/i);
});

test("version 2 as protobuf carries the same descriptions", async () => {
  const { json } = await call(server, "GET", "/openapi/v2");
  const accept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
  const { text } = await call(server, "GET", "/openapi/v2", { headers: { accept } });
  const description = json.definitions?.["io.o8s.api.apps.v1.DeploymentSpec"]?.properties?.paused?.description;
  expect(text).toContain(description as unknown as string);
});

test("version 3 describes every type and field of every group", async () => {
  const index = (await call(server, "GET", "/openapi/v3")).json.paths as unknown as Readonly<
    Record<string, { readonly serverRelativeURL: string }>
  >;
  const missing: string[] = [];
  for (const { serverRelativeURL } of Object.values(index)) {
    const { json } = await call(server, "GET", serverRelativeURL);
    missing.push(...undescribed(json.components?.schemas as Readonly<Record<string, Schema>>));
  }
  expect(Object.keys(index).length).toBeGreaterThan(15);
  expect([...new Set(missing)]).toEqual([]);
});

describe(`kubectl explain${kubectl === undefined ? " (skipped: there is no kubectl)" : ""}`, () => {
  const home = mkdtempSync(join(tmpdir(), "kubectl-explain-"));
  afterAll(() => rmSync(home, { recursive: true, force: true }));
  const explain = async (...args: readonly string[]): Promise<string> => {
    const env = { PATH: process.env.PATH ?? "", HOME: home, KUBECONFIG: server.clientConfig };
    return (await run(kubectl ?? "kubectl", ["explain", ...args], { env, timeout: 60_000 })).stdout;
  };

  test.skipIf(kubectl === undefined).each([
    [["pod.spec.containers"], "core/v1", "Container", ["image", "livenessProbe", "resources"]],
    [["deployments.spec.strategy"], "apps/v1", "DeploymentStrategy", ["type", "rollingUpdate"]],
    [
      ["hpa", "--api-version=autoscaling/v2"],
      "autoscaling/v2",
      "HorizontalPodAutoscaler",
      ["kind", "metadata", "spec"],
    ],
  ] as const)("%j", async (args, pkg, type, fields) => {
    const { json } = await call(server, "GET", `/openapi/v3/${pkg === "core/v1" ? "api/v1" : `apis/${pkg}`}`);
    const schema = json.components?.schemas?.[`io.o8s.api.${pkg.replace("/", ".")}.${type}`];
    const output = (await explain(...args)).replace(/\s+/g, " ");
    for (const field of fields) {
      const description = String(schema?.properties?.[field]?.description);
      expect(output).toContain(description.replace(/\s+/g, " "));
    }
  });
});
