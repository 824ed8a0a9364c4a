/** One condition that a probe checks. */
export interface Check {
  /** Name in listings and paths; may contain slashes, such as `poststarthook/rbac/bootstrap-roles`. */
  readonly name: string;
  /** Returns when all is well, throws or rejects with the reason otherwise. */
  check(signal: AbortSignal): Promise<void> | void;
  /** On `/livez` a failure counts only after the grace period of the start (`--livez-grace-period`). */
  readonly livezGrace?: boolean;
}

/** The check that fails only when the server cannot answer at all. */
export const pingCheck: Check = { name: "ping", check() {} };

/**
 * Fails when the log has not been written for too long after a write was requested: a log that is stuck blocks everything that writes to it.
 * @param flushed milliseconds since the epoch of the last time the log was written
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
  /** Says that the hook finished. */
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

/** The readiness check `shutdown`: fails as soon as the signal aborts. */
export function shutdownCheck(signal: AbortSignal): Check {
  return {
    name: "shutdown",
    check() {
      if (signal.aborted) throw new Error("process is shutting down");
    },
  };
}
