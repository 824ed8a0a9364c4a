import type { core } from "@orchernetes/api";
import type { CriClient } from "@orchernetes/cri";
import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { seededNumbers } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { testContainer, testPod, testRuntime } from "../testing/pods.ts";
import { createProbeManager } from "./probe-manager.ts";
import type { ProbeKind } from "./probe-worker.ts";

const containers = 400;
const seconds = 30;

type Outcome = "success" | "failure" | "unknown";
interface Probe {
  readonly periodSeconds: number;
  readonly initialDelaySeconds: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
}

/** A probe in the steps of the original: what it was last, how often in a row, and what it has decided. */
class Model {
  readonly #probe: Probe;
  readonly #kind: ProbeKind;
  #last: Outcome | undefined;
  #row = 0;
  result: Outcome | undefined;

  constructor(kind: ProbeKind, probe: Probe) {
    [this.#kind, this.#probe] = [kind, probe];
  }

  /**
   * Whether a check is made in this second: not before the delay, and none after a result that stands for this container.
   *
   * @param from the first second in which it may be made
   */
  isDue(second: number, from: number): boolean {
    const { periodSeconds, initialDelaySeconds } = this.#probe;
    const first = Math.max(from, initialDelaySeconds);
    const isSettled =
      (this.#kind !== "readiness" && this.result === "failure") ||
      (this.#kind === "startup" && this.result === "success");
    return !isSettled && second >= first && (second - first) % periodSeconds === 0;
  }

  check(outcome: Outcome): void {
    if (outcome === "unknown") return;
    this.#row = this.#last === outcome ? this.#row + 1 : 1;
    this.#last = outcome;
    const threshold = outcome === "success" ? this.#probe.successThreshold : this.#probe.failureThreshold;
    if (this.#row >= threshold) this.result = outcome;
  }
}

async function flush(): Promise<void> {
  for (let i = 0; i < 60; i++) await Promise.resolve();
}

test(`the probes of ${containers} containers have the results of the kubelet in each of ${seconds} seconds`, async () => {
  const below = seededNumbers(12);
  const seen = new Set<string>();
  for (let n = 0; n < containers; n++) {
    const probe = (successThreshold: number): Probe => {
      const periodSeconds = 1 + below(3);
      const initialDelaySeconds = below(3) * periodSeconds;
      return { periodSeconds, initialDelaySeconds, successThreshold, failureThreshold: 1 + below(3) };
    };
    const probes: Partial<Record<ProbeKind, Probe>> = {
      ...(below(2) === 0 && { startup: probe(1) }),
      ...(below(4) > 0 && { readiness: probe(1 + below(3)) }),
      ...(below(2) === 0 && { liveness: probe(1) }),
    };
    const kinds = Object.keys(probes) as readonly ProbeKind[];
    // A container is well or not, and some checks cannot be made.
    const usual = Array.from({ length: seconds + 1 }, (): Outcome => (below(3) > 0 ? "success" : "failure"));
    const outcomes = new Map(
      kinds.map((kind) => [kind, usual.map((outcome): Outcome => (below(8) === 0 ? "unknown" : outcome))]),
    );
    const clock = new FakeClock();
    const second = () => Math.round(clock.monotonicMs() / 1000);
    const cri = {
      runtime: {
        async execSync({ cmd: [kind] }: { cmd: ProbeKind[] }) {
          const outcome = kind === undefined ? undefined : outcomes.get(kind)?.[second()];
          if (outcome === "unknown") throw new Error("the runtime is busy");
          return { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), exitCode: outcome === "success" ? 0 : 1 };
        },
      },
    } as unknown as CriClient;
    const spec = Object.fromEntries(
      kinds.map((kind) => [`${kind}Probe`, { exec: { command: [kind] }, ...probes[kind] }]),
    );
    const pod = testPod({ containers: [{ name: "c", image: "i", ...spec }] });
    const container = pod.spec.containers[0] as core.Container;
    const manager = createProbeManager({
      ...{ cri, clock, logger: silentLogger, onChange: () => undefined, recordEvent: () => undefined },
    });
    const running = testContainer(pod, { startedAtMs: clock.nowMs() });
    manager.sync(pod, testRuntime([running]));
    const models = new Map(kinds.map((kind) => [kind, new Model(kind, probes[kind] as Probe)]));
    const run = (kind: ProbeKind, at: number): void => models.get(kind)?.check(outcomes.get(kind)?.[at] ?? "success");
    let startedAt = models.has("startup") ? seconds : 0;
    for (let at = 0; at < seconds; at++) {
      await flush();
      const startup = models.get("startup");
      const wasStarted = startup === undefined || startup.result === "success";
      if (startup?.isDue(at, 0)) run("startup", at);
      const started = startup === undefined || startup.result === "success";
      if (started) startedAt = Math.min(startedAt, at);
      const readiness = models.get("readiness");
      // Readiness is checked as soon as the container has started, liveness when its next period begins.
      if (readiness?.isDue(at, startedAt)) run("readiness", at);
      if (wasStarted && models.get("liveness")?.isDue(at, 0)) run("liveness", at);
      const ready = started && (readiness === undefined || readiness.result === "success");
      const failed = ["startup", "liveness"].some((kind) => models.get(kind as ProbeKind)?.result === "failure");
      const actual = { ...manager.state(running.id, container), failed: manager.verdicts().has(running.id) };
      expect(actual, JSON.stringify({ n, at, probes, outcomes: [...outcomes] })).toEqual({ started, ready, failed });
      seen.add(JSON.stringify(actual));
      clock.advance(1000);
    }
    manager.stop(pod.metadata.uid ?? "");
  }
  expect(seen.size).toBe(6);
});
