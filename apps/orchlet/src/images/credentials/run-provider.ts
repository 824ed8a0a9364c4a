import { spawn } from "node:child_process";
import type { Clock } from "@orchernetes/kernel";

/** Time limit of a provider. */
const limitMs = 60_000;
/** Maximum size of an answer, in bytes. */
const maxOutputBytes = 1024 * 1024;
/** Maximum part of a provider's standard error in the error message. */
const shownErrorBytes = 500;

/** A program that is run without a shell. */
interface ProviderProgram {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Runs a credential provider: writes the request to its standard input, and reads its standard output. A provider that takes longer
 * than a minute, or writes more than 1 MiB, is killed with the processes that it has started.
 *
 * @throws Error if it cannot be started, fails, or is killed; the signal's reason
 */
export async function runProvider(
  { file, args, env }: ProviderProgram,
  request: string,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<string> {
  signal.throwIfAborted();
  const ended = Promise.withResolvers<string>();
  const child = spawn(file, [...args], { env, stdio: ["pipe", "pipe", "pipe"], detached: true });
  const kill = (error: unknown): void => {
    ended.reject(error);
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      child.kill("SIGKILL");
    }
  };
  const output: Buffer[] = [];
  let bytes = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxOutputBytes) kill(new Error(`it wrote more than ${maxOutputBytes} bytes`));
    else output.push(chunk);
  });
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => {
    if (errors.length < shownErrorBytes) errors = (errors + chunk.toString("utf8")).slice(0, shownErrorBytes);
  });
  child.on("error", ended.reject);
  child.on("close", (code, killedBy) => {
    if (code === 0) ended.resolve(Buffer.concat(output).toString("utf8"));
    else
      ended.reject(
        new Error(
          `it exited with ${killedBy === null ? `code ${code}` : `signal ${killedBy}`}: ${errors.trim() || "it wrote no reason"}`,
        ),
      );
  });
  // A program need not read its input: EPIPE is not an error.
  child.stdin.on("error", () => undefined);
  child.stdin.end(request);
  const timer = clock.setTimeout(() => kill(new Error(`it did not answer within ${limitMs / 1000} s`)), limitMs);
  const onAbort = (): void => kill(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await ended.promise;
  } finally {
    timer.clear();
    signal.removeEventListener("abort", onAbort);
  }
}
