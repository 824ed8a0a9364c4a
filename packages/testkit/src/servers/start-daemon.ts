import { join } from "node:path";
import { type DaemonCommandOptions, type DaemonName, daemonCommand } from "../processes/daemon-path.ts";
import { type GuardedProcess, logTail, startGuarded } from "../processes/guarded-process.ts";

/** The daemon to start, its flags and its folder. */
export interface StartDaemonOptions extends DaemonCommandOptions {
  readonly name: DaemonName;
  readonly flags: readonly string[];
  /** Folder for its log. */
  readonly dir: string;
  readonly env?: Readonly<NodeJS.ProcessEnv>;
}

/** A daemon as a child process that can be killed and started again with the same flags. */
export interface RunningDaemon {
  readonly pid: number;
  readonly running: boolean;
  readonly logFile: string;
  /** Ends it with SIGTERM, and with SIGKILL after 10 s. */
  stop(): Promise<void>;
  /** Kills it with SIGKILL. */
  kill9(): Promise<void>;
  /** Ends it if it runs, and starts it again. */
  restart(): Promise<void>;
  /** The end of its log. */
  log(lines?: number): string;
}

/** Starts a daemon; does not wait until it is ready. */
export async function startDaemon({ name, flags, dir, env, root, from }: StartDaemonOptions): Promise<RunningDaemon> {
  const logFile = join(dir, `${name}.log`);
  const start = (): Promise<GuardedProcess> =>
    startGuarded({
      command: daemonCommand(name, flags, { root, from }),
      logFile,
      ...(env === undefined ? {} : { env }),
    });
  let child = await start();
  return {
    get pid() {
      return child.pid;
    },
    get running() {
      return child.running;
    },
    logFile,
    async stop() {
      await child.end();
    },
    async kill9() {
      await child.end("SIGKILL");
    },
    async restart() {
      await child.end();
      child = await start();
    },
    log: (lines) => logTail(logFile, lines),
  };
}
