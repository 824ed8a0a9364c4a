import type { Registry } from "@orchernetes/apiserver";
import type { Logger } from "@orchernetes/kernel";

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
