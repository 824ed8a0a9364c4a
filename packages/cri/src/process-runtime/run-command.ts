import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import type { HostCommand } from "./host-command.ts";

/**
 * Starts a command in a session of its own, as a child of the runtime. For exec, where the command may end when the
 * runtime does.
 *
 * @throws Error when it cannot be started
 */
export async function startCommand(command: HostCommand, stdin: "pipe" | "ignore"): Promise<ChildProcess> {
  const [argv0, ...args] = command.argv;
  const child = spawn(command.file, args, {
    argv0: argv0 ?? command.file,
    cwd: command.cwd,
    env: { ...command.env },
    detached: true,
    stdio: [stdin, "pipe", "pipe"],
    ...(command.uid !== undefined && { uid: command.uid }),
    ...(command.gid !== undefined && { gid: command.gid }),
  });
  await once(child, "spawn");
  return child;
}

/**
 * The exit code of a child after it has exited: 128 + signal number if a signal killed it. Starts listening
 * synchronously, because a short command may exit before the next step of the caller.
 */
export async function exitCodeOf(
  child: Pick<ChildProcess, "exitCode" | "signalCode"> & NodeJS.EventEmitter,
): Promise<number> {
  const of = (signal: NodeJS.Signals | null) => (signal === null ? 255 : 128 + constants.signals[signal]);
  if (child.exitCode !== null) return child.exitCode;
  if (child.signalCode !== null) return of(child.signalCode);
  const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  return code ?? of(signal);
}

/** Kills a command with its whole process group. */
export function killCommand(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}

/** Output and exit code of a command. */
export interface CommandResult {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly exitCode: number;
}

/**
 * Runs a command until it exits.
 *
 * @param timeoutMs - 0 for none
 * @param maxOutputBytes - limit for each of the outputs; the rest is discarded
 * @returns undefined if it was killed after the timeout
 */
export async function runCommand(
  command: HostCommand,
  timeoutMs: number,
  maxOutputBytes: number,
): Promise<CommandResult | undefined> {
  const child = await startCommand(command, "ignore");
  let late = false;
  const timer = timeoutMs > 0 ? setTimeout(expire, timeoutMs) : undefined;
  function expire(): void {
    late = true;
    killCommand(child);
    // A descendant in another group may keep the pipes open.
    child.stdout?.destroy();
    child.stderr?.destroy();
  }
  const stdout = collect(child.stdout, maxOutputBytes);
  const stderr = collect(child.stderr, maxOutputBytes);
  try {
    const exitCode = await exitCodeOf(child);
    const result = { stdout: await stdout, stderr: await stderr, exitCode };
    return late ? undefined : result;
  } finally {
    clearTimeout(timer);
  }
}

async function collect(stream: NodeJS.ReadableStream | null, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  if (stream === null) return Buffer.alloc(0);
  stream.on("data", (chunk: Buffer) => {
    const part = chunk.subarray(0, Math.max(0, maxBytes - bytes));
    bytes += part.length;
    if (part.length > 0) chunks.push(part);
  });
  await new Promise<void>((resolve) => stream.once("close", resolve));
  return Buffer.concat(chunks);
}
