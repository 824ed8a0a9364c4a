import { setTimeout as sleep } from "node:timers/promises";
import type { Registry } from "@orchernetes/apiserver";
import { type PostStartHook as HookCheck, postStartHook } from "@orchernetes/component";
import type { Logger } from "@orchernetes/kernel";

/** Hooks with the health checks that report whether each has finished. */
export interface StartedHooks {
  readonly checks: readonly HookCheck[];
  run(registry: Registry, signal: AbortSignal): void;
}

/** Runs each hook until it succeeds, with a pause after a failure: the store may not be reachable yet. */
export function postStartHooks(hooks: readonly PostStartHook[], logger: Logger): StartedHooks {
  const entries = hooks.map((hook) => ({ hook, check: postStartHook(hook.name) }));
  const runOne = async ({ hook, check }: (typeof entries)[number], registry: Registry, signal: AbortSignal) => {
    while (!signal.aborted) {
      try {
        await hook.run({ registry, signal, logger });
        check.done();
        return;
      } catch (error) {
        if (signal.aborted) return;
        logger.error(error, "Post-start hook failed; it will be retried", { hook: hook.name });
        await sleep(1000, undefined, { signal }).catch(() => undefined);
      }
    }
  };
  return {
    checks: entries.map(({ check }) => check),
    run(registry, signal) {
      for (const entry of entries) void runOne(entry, registry, signal);
    },
  };
}

/** What bootstrap steps may use. */
export interface BootstrapContext {
  readonly registry: Registry;
  readonly signal: AbortSignal;
  readonly logger: Pick<Logger, "error">;
}

/**
 * Work that runs once the server answers, named as its health check `poststarthook/<name>` shows it. Idempotent: it may run
 * again after a failure, and several servers may run it side by side.
 */
export interface PostStartHook {
  readonly name: string;
  run(context: BootstrapContext): Promise<void>;
}
