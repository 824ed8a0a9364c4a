import { FakeClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import type { CheckResult } from "./check.ts";
import { type ProbeKind, runProbe } from "./probe-worker.ts";

const results: Readonly<Record<string, CheckResult>> = {
  s: { outcome: "success" },
  f: { outcome: "failure", message: "no" },
  u: { outcome: "unknown", message: "?" },
};

async function flush(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}

/** Runs a probe for as many seconds as there are letters; what it says, by the second. */
async function observe(kind: ProbeKind, script: string, probe: object, paused = () => false): Promise<string[]> {
  const clock = new FakeClock();
  const abort = new AbortController();
  const said: string[] = [];
  let checks = 0;
  const second = () => clock.monotonicMs() / 1000;
  const done = runProbe(
    {
      kind,
      probe: { periodSeconds: 1, successThreshold: 1, failureThreshold: 3, ...probe },
      startedAtMs: clock.now().getTime(),
      clock,
      check: async () => results[script[checks++] ?? "s"] ?? { outcome: "success" },
      paused,
      onProblem: ({ outcome }) => said.push(`${second()}:${outcome}`),
      onVerdict: (verdict) => said.push(`${second()}=${verdict}`),
    },
    abort.signal,
  );
  await flush();
  for (let i = 0; i < 12 && checks < script.length; i++) {
    clock.advance(1000);
    await flush();
  }
  abort.abort();
  await done;
  return said;
}

test.each<[string, ProbeKind, string, object, string[]]>([
  ["success at once", "readiness", "s", {}, ["0=success"]],
  ["three failures in a row", "liveness", "fff", {}, ["0:failure", "1:failure", "2:failure", "2=failure"]],
  [
    "a success in between resets the count",
    "liveness",
    "ffsff",
    {},
    ["0:failure", "1:failure", "2=success", "3:failure", "4:failure"],
  ],
  [
    "what could not be checked does not count",
    "liveness",
    "ffuf",
    {},
    ["0:failure", "1:failure", "2:unknown", "3:failure", "3=failure"],
  ],
  [
    "successes in a row",
    "readiness",
    "fss",
    { successThreshold: 2, failureThreshold: 1 },
    ["0:failure", "0=failure", "2=success"],
  ],
  ["the delay before the first check", "readiness", "s", { initialDelaySeconds: 3 }, ["3=success"]],
  ["a startup probe ends with its success", "startup", "sff", {}, ["0=success"]],
  ["a liveness probe ends with its failure", "liveness", "ff", { failureThreshold: 1 }, ["0:failure", "0=failure"]],
])("%s", async (_, kind, script, probe, want) => {
  expect(await observe(kind, script, probe)).toEqual(want);
});

test("a paused probe checks nothing", async () => {
  expect(await observe("liveness", "f", {}, () => true)).toEqual([]);
});

test("a clock that is set back by a day does not delay the checks of a container that has started", async () => {
  const clock = new FakeClock();
  const abort = new AbortController();
  const checkedAt: number[] = [];
  const done = runProbe(
    {
      kind: "liveness",
      probe: { periodSeconds: 10, initialDelaySeconds: 15 },
      startedAtMs: clock.nowMs(),
      clock,
      check: async () => {
        checkedAt.push(clock.monotonicMs() / 1000);
        return { outcome: "success" };
      },
      paused: () => false,
      onProblem: () => undefined,
      onVerdict: () => undefined,
    },
    abort.signal,
  );
  clock.setNow(new Date(clock.nowMs() - 86_400_000));
  await clock.advanceAsync(40_000);
  expect(checkedAt).toEqual([15, 25, 35]);
  abort.abort();
  await done;
});
