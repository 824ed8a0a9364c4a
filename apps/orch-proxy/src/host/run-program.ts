import { spawn } from "node:child_process";

/** A program that could not do what it was asked for. */
export class ProgramError extends Error {
  override readonly name: string = "ProgramError";
}

/** A program that was ended because it took too long. */
export class ProgramTimeoutError extends ProgramError {
  override readonly name = "ProgramTimeoutError";
}

/** Where programs of the host are, also for a user whose PATH has no folders of the administrator. */
const PATH = `${process.env.PATH ?? ""}:/usr/sbin:/sbin:/usr/bin:/bin`;
/** What is kept of a program's output, in characters. */
const MAX_OUTPUT = 1 << 20;
/** What an error quotes of the messages of a program, in characters. */
const MAX_MESSAGE = 1000;

/**
 * Runs a program without a shell and resolves to what it writes to its standard output, about `maxOutput` characters of it at most.
 *
 * @param options `input` is written to its standard input; after `timeoutMs` it is killed; `maxOutput` is 1 Mi by default
 * @throws ProgramError with the program's own message if it cannot be started or fails
 * @throws ProgramTimeoutError if it takes too long
 */
export function runProgram(
  command: readonly [program: string, ...args: readonly string[]],
  {
    input = "",
    timeoutMs,
    maxOutput = MAX_OUTPUT,
  }: { readonly input?: string; readonly timeoutMs: number; readonly maxOutput?: number },
): Promise<string> {
  const [program, ...args] = command;
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new ProgramError(`${command.join(" ")}: ${why}`));
    const child = spawn(program, args, { env: { PATH, LC_ALL: "C" }, timeout: timeoutMs, killSignal: "SIGKILL" });
    const output = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (text: string) => {
        if (output[name].length < maxOutput) output[name] += text;
      });
    child.on("error", (error) => fail(error.message));
    child.on("close", (code, signal) => {
      if (code === 0) return resolve(output.stdout);
      if (child.killed)
        return reject(new ProgramTimeoutError(`${command.join(" ")}: ended by ${signal} within ${timeoutMs} ms`));
      const message = output.stderr.trim().slice(0, MAX_MESSAGE);
      return fail(message || (signal === null ? `exit code ${code}` : `ended by ${signal}`));
    });
    // A program that fails early does not read its input; its exit code says why.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}
