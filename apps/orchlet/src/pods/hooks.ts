import type { core } from "@orchernetes/api";
import type { CriClient } from "@orchernetes/cri";
import type { CheckTarget } from "../probes/check.ts";
import { runHandler } from "../probes/handlers.ts";

/** Limit for a postStart hook, which has no limit in the API. */
const longSeconds = 3600;

/**
 * Runs a lifecycle hook of a container (postStart or preStop). As in 1.27, handlers other than exec and httpGet are ignored, and so is
 * the status of a response.
 *
 * @throws Error with the handler's output if it failed
 */
export async function runHook(
  handler: core.LifecycleHandler,
  target: CheckTarget,
  options: { readonly cri: CriClient; readonly timeoutSeconds?: number | undefined; readonly signal: AbortSignal },
): Promise<void> {
  if (handler.exec === undefined && handler.httpGet === undefined) return;
  const { cri, timeoutSeconds = longSeconds, signal } = options;
  const result = await runHandler(handler, target, { cri, timeoutSeconds, signal, anyStatus: true });
  if (result.outcome === "success") return;
  const what =
    handler.exec === undefined
      ? `HTTP lifecycle hook (${handler.httpGet?.path ?? ""})`
      : `Exec lifecycle hook (${JSON.stringify(handler.exec.command ?? [])})`;
  throw new Error(`${what} for Container "${target.container.name}" failed - error: ${result.message}`);
}
