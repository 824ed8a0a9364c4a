import { afterAll, beforeAll, expect, test } from "vitest";
import { Random } from "../random.ts";
import { fullBytes, newCase, targetsOf } from "./grow.ts";
import { keptSlowCases } from "./kept-slow-cases.ts";
import { measure } from "./measure.ts";
import { ProbedServer } from "./probed-server.ts";
import { turnBudgetMs } from "./run-slow.ts";
import type { SlowCase } from "./slow-case.ts";
import { slowResources } from "./slow-resources.ts";
import { someWorstKnown, worstKnown } from "./worst-known.ts";

const seed = 20261;
const casesOfRun = 12;
/** The first of a kind compiles code, and any may meet a collection of garbage. */
const tries = 4;

let server: ProbedServer;

beforeAll(async () => {
  server = await ProbedServer.start();
}, 240_000);
afterAll(() => server?.stop(), 60_000);

async function problemOf(input: SlowCase): Promise<string | undefined> {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let i = 0; i < tries && leastMs > turnBudgetMs; i++) {
    const problems: string[] = [];
    const found = await measure(server, input, (message) => problems.push(message));
    if (problems.length > 0) return problems[0];
    if (found === undefined) return `it cannot be sent: ${JSON.stringify(input).slice(0, 300)}`;
    leastMs = Math.min(leastMs, found.worstMs);
  }
  return leastMs <= turnBudgetMs
    ? undefined
    : `${Math.round(leastMs)} ms of CPU in one turn: ${JSON.stringify(input).slice(0, 500)}`;
}

test.each(keptSlowCases())("$name: $found", { timeout: 180_000 }, async ({ input }) => {
  expect(await problemOf(input)).toBeUndefined();
});

test("a large body is recorded for every kind in every form", () => {
  const known = worstKnown();
  expect(new Set(known.map(({ resource }) => resource)).size).toBe(slowResources.length);
  expect(known.length).toBeGreaterThan(slowResources.length * 7);
});

const known = someWorstKnown();

test.each([...new Set(known.map(({ form }) => form))])(
  "large bodies in the form %s hold the event loop for 200 ms of CPU at most",
  { timeout: 600_000 },
  async (form) => {
    const problems: string[] = [];
    for (const input of known) {
      if (input.form !== form) continue;
      const problem = await problemOf(input);
      if (problem !== undefined) problems.push(problem);
    }
    expect(problems).toEqual([]);
  },
);

test("the test sends each kind and each form", () => {
  expect(new Set(known.map(({ resource }) => resource)).size).toBe(slowResources.length);
  expect(new Set(known.map(({ form }) => form)).size).toBe(8);
});

test("a short search finds no request that blocks the event loop", { timeout: 300_000 }, async () => {
  const random = new Random(seed);
  for (const [resource, form] of targetsOf(random).slice(0, casesOfRun)) {
    const input = newCase(random, resource, form, fullBytes);
    expect(await problemOf(input), JSON.stringify(input)).toBeUndefined();
  }
});

test("the probe detects a blocked event loop", { timeout: 120_000 }, async () => {
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
