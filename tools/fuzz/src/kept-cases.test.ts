import { readFileSync } from "node:fs";
import type { TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { keptCases } from "./kept-cases.ts";
import { pureTargets } from "./pure/index.ts";
import { judge } from "./pure/judge.ts";
import { fuzzNamespace } from "./server/environment.ts";
import { JsonClient } from "./server/json-client.ts";
import { judgeServer, serverTargetNames, serverTargets, startFuzzedServer } from "./server/run-server.ts";
import type { Target } from "./target.ts";

const cases = keptCases();

test("every recorded case names an existing target", () => {
  const names = [...pureTargets.map(({ name }) => name), ...serverTargetNames];
  expect(cases.filter(({ target }) => !names.includes(target))).toEqual([]);
});

const pure = cases.flatMap((kept) => {
  const target = pureTargets.find(({ name }) => name === kept.target);
  return target === undefined ? [] : [{ ...kept, target }];
});

/** What once was slow took minutes; a slow machine takes seconds for it now. */
const maxCpuMs = 30_000;

test.each(pure)("$name: $found", { timeout: 120_000 }, ({ target, input }) => {
  expect(judge(target, input, maxCpuMs)).toBeUndefined();
});

let server: TestApiServer;
let targets: readonly Target[];

beforeAll(async () => {
  server = await startFuzzedServer("embedded");
  targets = serverTargets(server);
  const client = new JsonClient({ port: server.port, token: server.token, ca: readFileSync(server.caFile) });
  const metadata = { name: fuzzNamespace };
  const { code } = await client.send("POST", "/api/v1/namespaces", { kind: "Namespace", apiVersion: "v1", metadata });
  client.close();
  expect(code).toBe(201);
}, 120_000);
afterAll(() => server?.stop(), 60_000);

const served = cases.filter(({ target }) => serverTargetNames.includes(target));

test.concurrent.each(served)("$name: $found", { timeout: 120_000 }, async ({ target, input }) => {
  const found = targets.find(({ name }) => name === target) as Target;
  expect(await judgeServer(found, input)).toBeUndefined();
  expect(server.running).toBe(true);
});
