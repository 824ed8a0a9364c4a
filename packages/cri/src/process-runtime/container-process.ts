import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import {
  closeSync,
  constants,
  existsSync,
  type FSWatcher,
  openSync,
  readFileSync,
  readSync,
  statSync,
  watch,
  writeFileSync,
} from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { systemEventLoop } from "@orchernetes/kernel";
import type { HostCommand } from "./host-command.ts";
import type { LogFile, LogStream } from "./log-file.ts";
import { identify, isAlive } from "./proc.ts";
import type { ProcessIdentity } from "./records.ts";
import { launcherScript, shimScript } from "./shim.ts";

/** How the process of a container ended. */
export interface ProcessExit {
  /** 128 + signal number if a signal ended it; 255 if nobody observed the exit. */
  readonly exitCode: number;
  /** ns since the epoch. */
  readonly finishedAt: bigint;
}

/** Handle of the running process of a container. */
export interface ContainerProcess {
  /** Emits `stdout` and `stderr` with chunks, for attached clients. */
  readonly output: EventEmitter<{ stdout: [Buffer]; stderr: [Buffer] }>;
  /** Resolves when the process has exited and its output is in the log. */
  readonly exited: Promise<ProcessExit>;
  /** Writes to standard input; does nothing when there is none. */
  writeStdin(chunk: Buffer): Promise<void>;
  /** Closes standard input, which is final. */
  closeStdin(): void;
  /** Stops following the process, which keeps running, as it does when this runtime ends. */
  detach(): void;
}

const shimEnv = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" };
const startTimeoutMs = 20_000;

/**
 * Starts a command under a shim of its own.
 *
 * @returns the identities of both as soon as the command runs
 * @throws Error with the reason when the command could not be started
 */
export async function launchContainer(
  dir: string,
  command: HostCommand,
): Promise<{ process: ProcessIdentity; shim: ProcessIdentity }> {
  const configFile = join(dir, "launch.json");
  writeFileSync(configFile, JSON.stringify(command), { mode: 0o600 });
  const shim = spawn(
    "/bin/sh",
    ["-c", shimScript, "shim", dir, process.execPath, "--no-warnings", "-e", launcherScript, configFile],
    { detached: true, stdio: "ignore", env: shimEnv, cwd: "/" },
  );
  await once(shim, "spawn");
  shim.unref();
  const shimIdentity = shim.pid === undefined ? undefined : identify(shim.pid);
  if (shimIdentity === undefined) throw new Error("the shim exited immediately");
  for (let waitedMs = 0; waitedMs < startTimeoutMs; waitedMs += 5) {
    const failure = readIfThere(join(dir, "error"));
    if (failure !== undefined) throw new Error(failure);
    const [pid, startTime] = readIfThere(join(dir, "pid"))?.trim().split(" ") ?? [];
    if (pid !== undefined && startTime !== undefined)
      return { process: { pid: Number(pid), startTime }, shim: shimIdentity };
    if (existsSync(join(dir, "exit"))) throw new Error("the launcher exited without reporting an error");
    await sleep(5);
  }
  throw new Error(`not started after ${startTimeoutMs / 1000} s`);
}

/** The process of a container and the destination of its output. */
export interface FollowOptions {
  readonly dir: string;
  readonly log: LogFile;
  readonly process: ProcessIdentity | undefined;
  readonly shim: ProcessIdentity | undefined;
  readonly stdin: boolean;
  readonly now: () => number;
}

/**
 * Follows a started process: logs its output and notices its exit. Works the same way after a restart of the runtime.
 */
export function followContainer(options: FollowOptions): ContainerProcess {
  const { dir, log } = options;
  const output = new EventEmitter<{ stdout: [Buffer]; stderr: [Buffer] }>();
  output.setMaxListeners(0);
  const exited = Promise.withResolvers<ProcessExit>();
  const readers = (["stdout", "stderr"] as const).map((stream) => openReader(dir, stream, deliver));
  const exitFile = join(dir, "exit");
  let stdin = options.stdin ? openStdin(dir) : undefined;
  let done = false;

  function deliver(stream: LogStream, chunk: Buffer): void {
    log.write(stream, chunk);
    output.emit(stream, chunk);
  }

  function release(): void {
    done = true;
    watcher?.close();
    clearInterval(poll);
    for (const { socket } of readers) socket.destroy();
    stdin?.destroy();
  }

  function finish(exit: ProcessExit): void {
    if (done) return;
    for (const reader of readers) {
      readRest(reader, deliver);
      log.flush(reader.stream);
    }
    release();
    log.close();
    void acknowledge(join(dir, "ack"), options.shim).then(() => exited.resolve(exit));
  }

  function check(): void {
    if (done) return;
    const exit = readExit(exitFile);
    if (exit !== undefined) finish(exit);
    else if (!isAlive(options.shim)) {
      // The shim may have written the file after it was read and before the shim ended.
      const nowMs = Math.floor(options.now());
      finish(readExit(exitFile) ?? { exitCode: 255, finishedAt: BigInt(nowMs) * 1_000_000n });
    }
  }

  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(dir, (_event, name) => {
      if (name === "exit" || name === null) check();
    });
    watcher.on("error", () => {});
  } catch {
    // No inotify watch is available: the poll below is enough, but slower.
  }
  // A killed shim leaves no exit file, so its death is noticed only by polling.
  const poll = setInterval(check, watcher === undefined ? 200 : 5000);
  // Deferred: the caller needs the handle before the first report.
  systemEventLoop.defer(check);

  return {
    output,
    exited: exited.promise,
    async writeStdin(chunk) {
      if (stdin === undefined || stdin.destroyed) return;
      const socket = stdin;
      await new Promise<void>((resolve) => socket.write(chunk, () => resolve()));
    },
    closeStdin() {
      stdin?.destroy();
      stdin = undefined;
      const holder = Number(readIfThere(join(dir, "stdin-holder")));
      // The holder is a child of the shim and the shim is alive, so the pid cannot belong to another process.
      if (holder > 0 && isAlive(options.shim) && !done) tryKill(holder);
    },
    detach() {
      if (done) return;
      release();
      // Writes an unfinished line now, because the next runtime does not know its beginning.
      log.flush("stdout");
      log.flush("stderr");
      log.close();
    },
  };
}

/** Receives the output of a container. */
type Deliver = (stream: LogStream, chunk: Buffer) => void;

/** The reading end of an output FIFO. */
interface Reader {
  readonly stream: LogStream;
  readonly fd: number;
  readonly socket: Socket;
}

function openReader(dir: string, stream: LogStream, deliver: Deliver): Reader {
  // Also open for writing, so that the FIFO never reports its end when the writers close it. The exit file marks the
  // end.
  const fd = openSync(join(dir, stream), constants.O_RDWR | constants.O_NONBLOCK);
  const socket = new Socket({ fd, readable: true, writable: false });
  socket.on("data", (chunk: Buffer) => deliver(stream, chunk));
  socket.on("error", () => {});
  return { stream, fd, socket };
}

/** The writing end of the input FIFO; undefined when there is none. */
function openStdin(dir: string): Socket | undefined {
  try {
    const fd = openSync(join(dir, "stdin"), constants.O_RDWR | constants.O_NONBLOCK);
    const socket = new Socket({ fd, readable: false, writable: true });
    socket.on("error", () => {});
    return socket;
  } catch {
    return undefined;
  }
}

/** Reads what is left in a FIFO, without waiting. */
function readRest({ stream, fd, socket }: Reader, deliver: Deliver): void {
  socket.pause();
  const buffer = Buffer.alloc(64 * 1024);
  for (;;) {
    let bytes = 0;
    try {
      bytes = readSync(fd, buffer);
    } catch {
      return;
    }
    if (bytes === 0) return;
    deliver(stream, Buffer.from(buffer.subarray(0, bytes)));
  }
}

function readExit(file: string): ProcessExit | undefined {
  const text = readIfThere(file);
  if (text === undefined) return undefined;
  return { exitCode: Number(text), finishedAt: statSync(file, { bigint: true }).mtimeNs };
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Releases a shim that waits at its FIFO. Resolves when it continues or has exited. */
async function acknowledge(fifo: string, shim: ProcessIdentity | undefined): Promise<void> {
  // The shim writes the exit file before it opens the FIFO, so there may be no reader yet.
  while (isAlive(shim)) {
    try {
      closeSync(openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK));
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENXIO") return;
    }
    await sleep(2);
  }
}

function tryKill(pid: number): void {
  try {
    process.kill(pid, "SIGTERM");
  } catch {
    // It has ended already.
  }
}
