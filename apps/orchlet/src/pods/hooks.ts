import type { core } from "@orchernetes/api";
import type { CriClient } from "@orchernetes/cri";
import { messageOf } from "@orchernetes/kernel";
import type { CheckTarget } from "../probes/check.ts";
import { runHandler } from "../probes/handlers.ts";

/** Limit for a postStart hook, which has no limit in the API. */
const longSeconds = 3600;
/** Maximum size of a hook's output in an error, in bytes. */
const maxOutputBytes = 10 * 1024;

/** The limits of a hook, and the pod to which it belongs. */
interface HookOptions {
  readonly cri: CriClient;
  /** The pod as messages show it. */
  readonly podText: string;
  readonly timeoutSeconds?: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * Runs a lifecycle hook of a container (postStart or preStop). As in 1.27, handlers other than exec and httpGet fail, and the status of a
 * response does not matter.
 *
 * @throws Error with the handler's output if it failed
 */
export async function runHook(
  handler: core.LifecycleHandler,
  target: CheckTarget,
  options: HookOptions,
): Promise<void> {
  const { exec, httpGet } = handler;
  const where = `for Container ${JSON.stringify(target.container.name)} in Pod ${JSON.stringify(options.podText)}`;
  if (exec !== undefined) {
    const command = exec.command ?? [];
    await runCommand(command, target.containerId, options, `Exec lifecycle hook ([${command.join(" ")}]) ${where}`);
  } else if (httpGet !== undefined) {
    const { cri, timeoutSeconds = longSeconds, signal } = options;
    const result = await runHandler({ httpGet }, target, { cri, timeoutSeconds, signal, anyStatus: true });
    if (result.outcome === "success") return;
    throw new Error(`HTTP lifecycle hook (${httpGet.path ?? ""}) ${where} failed - error: ${result.message}`);
  } else throw new Error(`Cannot run handler: invalid handler: ${JSON.stringify(handler)}`);
}

async function runCommand(
  command: readonly string[],
  containerId: string,
  { cri, timeoutSeconds = longSeconds, signal }: HookOptions,
  what: string,
): Promise<void> {
  const request = { containerId, cmd: [...command], timeout: timeoutSeconds };
  const { stdout, stderr, exitCode } = await cri.runtime.execSync(request, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new Error(`${what} failed - error: ${messageOf(error)}, message: ""`, { cause: error });
  });
  if (exitCode === 0) return;
  const text = (...parts: Buffer[]) => Buffer.concat(parts).toString("utf8", 0, maxOutputBytes);
  const error = `command '${command.join(" ")}' exited with ${exitCode}: ${text(stderr)}`;
  throw new Error(`${what} failed - error: ${error}, message: ${JSON.stringify(text(stdout, stderr))}`);
}
