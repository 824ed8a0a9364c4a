/** A condition that probes check. */
export interface Check {
  /** Name in listings and paths; may contain slashes, such as `poststarthook/rbac/bootstrap-roles`. */
  readonly name: string;
  /** Returns when all is well, throws or rejects with the reason otherwise. */
  check(signal: AbortSignal): Promise<void> | void;
  /** On `/livez` a failure counts only after the grace period of the start (`--livez-grace-period`). */
  readonly livezGrace?: boolean;
}

/** A check that never fails: the server responds. */
export const pingCheck: Check = { name: "ping", check() {} };

/**
 * Fails if the log has not been written for too long after a write was requested: a blocked log blocks everything that
 * writes to it.
 * @param flushed returns when the log was last written, in milliseconds since the epoch
 */
export function logCheck(flushed: () => number, limitMs: number, now: () => number): Check {
  return {
    name: "log",
    check() {
      const age = now() - flushed();
      if (age > limitMs) throw new Error(`the log was last written ${Math.round(age / 1000)}s ago`);
    },
  };
}

/** A check that fails until something that runs once after the start has finished. */
export interface PostStartHook extends Check {
  /** Marks the hook as finished. */
  done(): void;
}

/** The check `poststarthook/<name>`: "not finished" until `done()`. `/livez` counts it as passed during its grace period. */
export function postStartHook(name: string): PostStartHook {
  let finished = false;
  return {
    name: `poststarthook/${name}`,
    livezGrace: true,
    check() {
      if (!finished) throw new Error("not finished");
    },
    done() {
      finished = true;
    },
  };
}

/** The readiness check `shutdown`: fails when the signal is aborted. */
export function shutdownCheck(signal: AbortSignal): Check {
  return {
    name: "shutdown",
    check() {
      if (signal.aborted) throw new Error("process is shutting down");
    },
  };
}
