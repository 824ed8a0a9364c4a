import type { core } from "@orchernetes/api";
import type { CriClient } from "@orchernetes/cri";
import type { CheckTarget } from "../probes/check.ts";
import { runHandler } from "../probes/handlers.ts";

const longSeconds = 3600;

/**
 * Runs what a container wants done right after its start or right before its end.
 * @throws Error with what the handler said when it failed
 */
export async function runHook(
  handler: core.LifecycleHandler,
  target: CheckTarget,
  options: { readonly cri: CriClient; readonly timeoutSeconds?: number | undefined; readonly signal: AbortSignal },
): Promise<void> {
  if (handler.exec === undefined && handler.httpGet === undefined) return;
  const { cri, timeoutSeconds = longSeconds, signal } = options;
  const result = await runHandler(handler, target, { cri, timeoutSeconds, signal });
  if (result.outcome === "success") return;
  const what =
    handler.exec === undefined
      ? `HTTP lifecycle hook (${handler.httpGet?.path ?? ""})`
      : `Exec lifecycle hook (${JSON.stringify(handler.exec.command ?? [])})`;
  throw new Error(`${what} for Container "${target.container.name}" failed - error: ${result.message}`);
}
