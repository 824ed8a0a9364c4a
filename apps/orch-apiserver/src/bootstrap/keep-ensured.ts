import type { Clock, Timer } from "@orchernetes/kernel";
import type { BootstrapContext, PostStartHook } from "../post-start/hooks.ts";

/** Interval between checks for deleted objects, in milliseconds. */
const ENSURE_EVERY_MS = 30_000;

/**
 * Wraps a hook so that it repeats after it has succeeded: a deleted object is restored within a minute. Failures are logged, and the
 * next run tries again.
 */
export function keepEnsured(hook: PostStartHook, clock: Clock, everyMs = ENSURE_EVERY_MS): PostStartHook {
  return {
    name: hook.name,
    async run(context) {
      await hook.run(context);
      repeat(hook, context, clock, everyMs);
    },
  };
}

function repeat(hook: PostStartHook, context: BootstrapContext, clock: Clock, everyMs: number): void {
  const { signal, logger } = context;
  let timer: Timer | undefined;
  const turn = async (): Promise<void> => {
    try {
      await hook.run(context);
    } catch (error) {
      if (!signal.aborted) logger.error(error, `Objects of ${hook.name} could not be restored`);
    }
    schedule();
  };
  const schedule = (): void => {
    if (!signal.aborted) timer = clock.setTimeout(() => void turn(), everyMs).unref();
  };
  signal.addEventListener("abort", () => timer?.clear(), { once: true });
  schedule();
}
