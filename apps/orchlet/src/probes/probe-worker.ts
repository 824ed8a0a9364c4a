import type { core } from "@orchernetes/api";
import type { Clock } from "@orchernetes/kernel";
import type { CheckResult } from "./check.ts";

/** The kinds of probes of a container. */
export type ProbeKind = "liveness" | "readiness" | "startup";

/** The result of a probe after enough consecutive checks with the same outcome. */
export type Verdict = "success" | "failure";

/** The probe, the container's start time and the recipients of results. */
export interface ProbeWorkerOptions {
  readonly kind: ProbeKind;
  readonly probe: core.Probe;
  /** Start time of the container, in milliseconds since the epoch. */
  readonly startedAtMs: number;
  /** Performs one check. */
  readonly check: (signal: AbortSignal) => Promise<CheckResult>;
  /** Whether checks are suspended: liveness and readiness probes wait until the startup probe has succeeded. */
  readonly paused: () => boolean;
  /** Aborts when a paused probe may run, so that its next check does not wait for the period. @default never */
  readonly resumed?: AbortSignal;
  /** Called for each check that failed or could not be performed. */
  readonly onProblem: (result: Exclude<CheckResult, { outcome: "success" }>) => void;
  /** Called after each check that reaches the success or failure threshold. */
  readonly onVerdict: (verdict: Verdict, message: string) => void;
  readonly clock: Clock;
  /** Returns a number from 0 to 1, which spreads the first checks of many containers. @default Math.random */
  readonly random?: () => number;
}

/** Runs a probe of one running container until the signal aborts. */
export function runProbe(options: ProbeWorkerOptions, signal: AbortSignal): Promise<void> {
  const { kind, probe, startedAtMs, clock, resumed, random = Math.random } = options;
  const periodMs = (probe.periodSeconds ?? 10) * 1000;
  const delayMs = (probe.initialDelaySeconds ?? 0) * 1000;
  const thresholds = { success: probe.successThreshold ?? 1, failure: probe.failureThreshold ?? 3 };
  let last: Verdict | undefined;
  let consecutive = 0;
  let settled = false;

  const begunMs = clock.monotonicMs();
  /** Time until the first check, in milliseconds. It is limited to the delay, because the clock may be set back after the start. */
  const remainingMs = () => Math.min(startedAtMs + delayMs - clock.nowMs(), begunMs + delayMs - clock.monotonicMs());

  const once = async (): Promise<void> => {
    if (options.paused() || settled) return;
    if (remainingMs() > 0) return;
    const result = await options.check(signal);
    if (signal.aborted) return;
    if (result.outcome !== "success") options.onProblem(result);
    if (result.outcome === "unknown") return;
    if (result.outcome === last) consecutive += 1;
    else {
      last = result.outcome;
      consecutive = 1;
    }
    if (consecutive < thresholds[result.outcome]) return;
    options.onVerdict(result.outcome, result.outcome === "failure" ? result.message : "");
    // A failed liveness or startup probe restarts the container, whose next instance gets its own probe.
    if (kind !== "readiness" && result.outcome === "failure") settled = true;
    if (kind === "startup") settled = true;
  };

  return (async () => {
    try {
      // A container is older than a period only after a restart of the agent. Then the checks of all containers must be
      // spread.
      const age = clock.nowMs() - startedAtMs;
      if (age > periodMs) await clock.sleep(random() * periodMs, signal);
      for (;;) {
        await once();
        const wait = remainingMs();
        const nextMs = wait > 0 && wait < periodMs ? wait : periodMs;
        const early = resumed === undefined || resumed.aborted ? [] : [resumed];
        await clock.sleep(nextMs, AbortSignal.any([signal, ...early])).catch((error: unknown) => {
          if (signal.aborted) throw error;
        });
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  })();
}
