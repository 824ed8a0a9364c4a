import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { caseNumber, casesOf } from "./case-arbitrary.ts";
import { Findings } from "./findings.ts";
import { pureTargets } from "./pure/index.ts";
import { judge } from "./pure/judge.ts";
import { runServer, serverTargetNames } from "./server/run-server.ts";

const seed = 20260;
const casesOfEach = 120;
/** With the start of the server, which takes seconds on a busy machine. */
const serverMs = 15_000;

test.each(pureTargets)("a few cases of $name find no failure", { timeout: 120_000 }, (target) => {
  const property = fc.property(casesOf(target), (input) => {
    expect(judge(target, input)).toBeUndefined();
  });
  fc.assert(property, { seed, numRuns: casesOfEach, interruptAfterTimeLimit: 100_000, markInterruptAsFailure: true });
});

test.each(pureTargets)("$name generates the same cases from the same seed", (target) => {
  expect(caseNumber(target, seed, 17)).toEqual(caseNumber(target, seed, 17));
  expect(caseNumber(target, seed, 17)).not.toEqual(caseNumber(target, seed + 1, 17));
});

test("a short run against a server finds no failure", { timeout: 240_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "fuzz-"));
  try {
    const findings = new Findings(folder, () => undefined);
    const { counts, rests } = await runServer({
      targets: serverTargetNames,
      store: "embedded",
      seed,
      untilMs: Date.now() + serverMs,
      workers: 4,
      windowMs: 60_000,
      findings,
      signal: new AbortController().signal,
      print: () => undefined,
    });
    expect(findings.list).toEqual([]);
    expect(rests.length).toBeGreaterThan(0);
    expect(Object.keys(counts).sort()).toEqual([...serverTargetNames].sort());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
