import type { core } from "@orchernetes/api";
import type { Clock } from "@orchernetes/kernel";
import type { CheckResult } from "./check.ts";

export type ProbeKind = "liveness" | "readiness" | "startup";

/** What a probe says at last; undefined while it has not decided. */
export type Verdict = "success" | "failure";

export interface ProbeWorkerOptions {
  readonly kind: ProbeKind;
  readonly probe: core.Probe;
  /** When the container began to run, in milliseconds since the epoch. */
  readonly startedAtMs: number;
  /** Makes one check. */
  readonly check: (signal: AbortSignal) => Promise<CheckResult>;
  /** Whether to hold back now: a startup probe has not succeeded yet, or has already. */
  readonly paused: () => boolean;
  /** Told of each check that failed or could not be made. */
  readonly onProblem: (result: Exclude<CheckResult, { outcome: "success" }>) => void;
  /** Told when enough checks in a row have come out alike. */
  readonly onVerdict: (verdict: Verdict, message: string) => void;
  readonly clock: Clock;
  /** A number from 0 to 1: spreads the first checks of many containers. */
  readonly random?: () => number;
}

/** A probe of one running container. It begins at once and ends with the signal. */
export function runProbe(options: ProbeWorkerOptions, signal: AbortSignal): Promise<void> {
  const { kind, probe, startedAtMs, clock, random = Math.random } = options;
  const periodMs = (probe.periodSeconds ?? 10) * 1000;
  const delayMs = (probe.initialDelaySeconds ?? 0) * 1000;
  const thresholds = { success: probe.successThreshold ?? 1, failure: probe.failureThreshold ?? 3 };
  let last: Verdict | undefined;
  let inARow = 0;
  let settled = false;

  const once = async (): Promise<void> => {
    if (options.paused() || settled) return;
    if (clock.now().getTime() < startedAtMs + delayMs) return;
    const result = await options.check(signal);
    if (signal.aborted) return;
    if (result.outcome !== "success") options.onProblem(result);
    if (result.outcome === "unknown") return;
    if (result.outcome === last) inARow += 1;
    else {
      last = result.outcome;
      inARow = 1;
    }
    if (inARow < thresholds[result.outcome]) return;
    options.onVerdict(result.outcome, result.outcome === "failure" ? result.message : "");
    // A failed liveness or startup probe ends the container: its next copy gets a probe of its own.
    if (kind !== "readiness" && result.outcome === "failure") settled = true;
    if (kind === "startup") settled = true;
  };

  return (async () => {
    try {
      // Only after a restart of the agent is the container old: then the checks of all of them must not fall together.
      const age = clock.now().getTime() - startedAtMs;
      if (age > periodMs) await clock.sleep(random() * periodMs, signal);
      for (;;) {
        await once();
        const wait = startedAtMs + delayMs - clock.now().getTime();
        await clock.sleep(wait > 0 && wait < periodMs ? wait : periodMs, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  })();
}
