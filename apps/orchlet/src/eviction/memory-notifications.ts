import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Clock, Logger } from "@orchernetes/kernel";
import { listenerProgram } from "./listener-program.ts";

/** Numbers of the system call eventfd2 by architecture, as Node names it. */
const eventfdNumbers: Readonly<Record<string, number>> = { x64: 290, arm64: 19, riscv64: 19, s390x: 324, ppc64: 314 };

/** After the program has ended, the time until it is started again. */
const restartMs = 60_000;
/** Text of the program's errors that is logged. */
const maxErrorLength = 1000;

/** The options of memory notifications. */
export interface MemoryNotificationOptions {
  /** The folder of a group of cgroup v1, in the tree of the controller memory. */
  readonly folder: string;
  /** Called when the use of the group has crossed the threshold, in either direction. */
  readonly onCrossed: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Aborts when the agent stops. */
  readonly signal: AbortSignal;
  /** Command that listens, with arguments for the folder and the system call to follow. @default a program for perl */
  readonly command?: readonly [program: string, ...args: string[]];
  /** @default this machine's */
  readonly architecture?: string;
}

/**
 * Receives a notification of the kernel when the memory of a control group crosses a threshold, so that it need not be read often.
 * The kernel signals an event file descriptor, which Node.js cannot create: a small perl program waits for it, because nearly every
 * host has perl. The program ends with the agent. Without perl, or if the kernel lacks these events, one warning is logged, and
 * memory is read every ten seconds.
 */
export class MemoryNotifications {
  readonly #options: MemoryNotificationOptions;
  #program: ChildProcess | undefined;
  #threshold = -1;
  #startedMs = Number.NEGATIVE_INFINITY;
  #hasWarned = false;

  constructor(options: MemoryNotificationOptions) {
    this.#options = options;
  }

  /** Sets the threshold, in bytes. Starts the program unless it runs. */
  update(usageBytes: number): void {
    if (this.#options.signal.aborted) return;
    const program = this.#program ?? this.#start();
    const bytes = Math.max(0, Math.floor(usageBytes));
    if (program === undefined || bytes === this.#threshold) return;
    this.#threshold = bytes;
    program.stdin?.write(`${bytes}\n`);
  }

  #start(): ChildProcess | undefined {
    const { clock, folder, signal, architecture = process.arch } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#startedMs < restartMs) return undefined;
    this.#startedMs = nowMs;
    const number = eventfdNumbers[architecture];
    if (number === undefined) {
      this.#warn(`not on architecture ${architecture}`);
      return undefined;
    }
    const { command: [program, ...args] = ["perl", "-e", listenerProgram] } = this.#options;
    const child = spawn(program, [...args, folder, String(number)], { env: { LC_ALL: "C", PATH: process.env.PATH } });
    let errors = "";
    child.stderr.on("data", (part: Buffer) => {
      errors = (errors + part.toString()).slice(0, maxErrorLength);
    });
    // A program that ends is noticed by its end.
    child.stdin.on("error", () => undefined);
    createInterface(child.stdout).on("line", (line) => {
      if (line === "crossed") this.#options.onCrossed();
    });
    const stop = () => child.stdin.end();
    signal.addEventListener("abort", stop, { once: true });
    const ended = (why: string): void => {
      signal.removeEventListener("abort", stop);
      if (this.#program !== child) return;
      this.#program = undefined;
      this.#threshold = -1;
      if (!signal.aborted) this.#warn(why);
    };
    child.on("error", (error) => ended(error.message));
    child.on("close", (code) => ended(errors.trim() || `the program ended with code ${code}`));
    this.#program = child;
    return child;
  }

  #warn(error: string): void {
    const { logger, folder } = this.#options;
    const message = "The kernel sends no memory notifications; memory is read every 10 s";
    if (this.#hasWarned) logger.v(2)?.info(message, { folder, error });
    else logger.warn(message, { folder, error });
    this.#hasWarned = true;
  }
}
