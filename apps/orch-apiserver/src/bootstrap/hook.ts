import type { Registry } from "@orchernetes/apiserver";

/** What bootstrap steps may use. */
export interface BootstrapContext {
  readonly registry: Registry;
  readonly signal: AbortSignal;
  readonly logger: { readonly error: (error: Error | undefined, message: string) => void };
}

/**
 * Work that runs once the server answers, named as its health check `poststarthook/<name>` shows it. Idempotent: it may run
 * again after a failure, and several servers may run it side by side.
 */
export interface PostStartHook {
  readonly name: string;
  run(context: BootstrapContext): Promise<void>;
}
