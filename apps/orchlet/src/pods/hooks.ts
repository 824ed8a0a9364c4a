import type { core } from "@orchernetes/api";
import type { CriClient } from "@orchernetes/cri";
import { messageOf } from "@orchernetes/kernel";
import type { CheckTarget } from "../probes/check.ts";
import { plainHttpAnswer, runHandler } from "../probes/handlers.ts";

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
  /** Called with the text of an event when a request over HTTPS was answered in HTTP, and succeeded over HTTP. */
  readonly onFallback: (message: string) => void;
}

/** The reason of the event about a request that was repeated over HTTP. */
export const fallbackReason = "LifecycleHTTPFallback";

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
    const error = await sendRequest(httpGet, target, options);
    if (error !== undefined)
      throw new Error(`HTTP lifecycle hook (${httpGet.path ?? ""}) ${where} failed - error: ${error}`);
  } else throw new Error(`Cannot run handler: invalid handler: ${JSON.stringify(handler)}`);
}

/** Sends the request of a hook: over HTTP if the server answers so. @returns why it failed; undefined if it did not */
async function sendRequest(
  action: core.HTTPGetAction,
  target: CheckTarget,
  { cri, timeoutSeconds = longSeconds, signal, onFallback }: HookOptions,
): Promise<string | undefined> {
  const send = (httpGet: core.HTTPGetAction) =>
    runHandler({ httpGet }, target, { cri, timeoutSeconds, signal, anyStatus: true });
  const result = await send(action);
  if (result.outcome === "success") return undefined;
  if (!result.message.endsWith(plainHttpAnswer)) return result.message;
  // What authorizes the request is for encrypted connections.
  const httpHeaders = (action.httpHeaders ?? []).filter(({ name }) => name.toLowerCase() !== "authorization");
  const plain = await send({ ...action, scheme: "HTTP", httpHeaders });
  if (plain.outcome !== "success") return result.message;
  const [, host = ""] = /^Get "https:\/\/([^/"]*)/.exec(result.message) ?? [];
  onFallback(`request to HTTPS lifecycle hook ${host} got HTTP response, retry with HTTP succeeded`);
  return undefined;
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
  const text = (...parts: Uint8Array[]) => Buffer.concat(parts).toString("utf8", 0, maxOutputBytes);
  const error = `command '${command.join(" ")}' exited with ${exitCode}: ${text(stderr)}`;
  throw new Error(`${what} failed - error: ${error}, message: ${JSON.stringify(text(stdout, stderr))}`);
}
