import { afterAll, beforeAll, expect, test } from "vitest";
import { Random } from "../random.ts";
import { fullBytes, newCase, targetsOf } from "./grow.ts";
import { keptSlowCases } from "./kept-slow-cases.ts";
import { measure } from "./measure.ts";
import { ProbedServer } from "./probed-server.ts";
import type { SlowCase } from "./slow-case.ts";

/** Several times the budget: what is tested here once took seconds, and machines are slower than one thinks. */
const maxTurnMs = 1000;
const seed = 20261;
const casesOfRun = 12;

let server: ProbedServer;

beforeAll(async () => {
  server = await ProbedServer.start();
}, 120_000);
afterAll(() => server?.stop(), 60_000);

async function problemOf(input: SlowCase): Promise<string | undefined> {
  const problems: string[] = [];
  const found = await measure(server, input, (message) => problems.push(message));
  if (problems.length > 0) return problems[0];
  if (found === undefined || found.worstMs <= maxTurnMs) return undefined;
  // The first of a kind compiles code, and any may meet a collection of garbage.
  const again = await measure(server, input, () => {});
  return again !== undefined && again.worstMs > maxTurnMs ? `${Math.round(again.worstMs)} ms in one turn` : undefined;
}

test.each(keptSlowCases())("$name: $found", { timeout: 180_000 }, async ({ input }) => {
  expect(await problemOf(input)).toBeUndefined();
});

test("a short search finds no request that holds the event loop", { timeout: 300_000 }, async () => {
  const random = new Random(seed);
  for (const [resource, form] of targetsOf(random).slice(0, casesOfRun)) {
    const input = newCase(random, resource, form, fullBytes);
    expect(await problemOf(input), JSON.stringify(input)).toBeUndefined();
  }
});

test("the probe sees what holds the event loop", { timeout: 120_000 }, async () => {
  const body = JSON.stringify({
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { name: "probe" },
    data: { a: "x".repeat(500_000) },
  });
  const headers = { "content-type": "application/json" };
  const path = "/api/v1/namespaces/fuzz/configmaps";
  const { status, worstMs, totalMs, turns } = await server.send({
    method: "POST",
    path,
    headers,
    body: Buffer.from(body),
  });
  expect(status).toBe(201);
  expect(turns).toBeGreaterThan(3);
  expect(worstMs).toBeGreaterThan(0.2);
  expect(totalMs).toBeGreaterThanOrEqual(worstMs);
});
