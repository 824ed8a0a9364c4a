import type { Logger } from "@orchernetes/kernel";
import { configurationErrors } from "./configuration-error.ts";
import { runCompletion } from "./flags/completion/completion-command.ts";
import { COMPLETION_COMMAND } from "./flags/completion/completion-scripts.ts";
import type { FlagTable, FlagValues } from "./flags/flag.ts";
import { type ParseResult, parseFlags } from "./flags/parse-flags.ts";
import type { logFlags } from "./flags/shared/log-flags.ts";
import { releaseMemoryWhenIdle } from "./idle-memory.ts";
import { createLogger, type LogFormat, type LogSettings } from "./logs/create-logger.ts";
import { errorText } from "./logs/format.ts";
import { originalStack } from "./logs/original-stack.ts";
import { surviveFullDisk } from "./logs/survive-full-disk.ts";
import { rootSignal } from "./signals.ts";
import { spareMemory } from "./spare-memory.mjs";
import { versionTexts } from "./version.ts";

/** How long a remaining connection or timer may keep the process alive after its daemon has ended, in milliseconds. */
const lingerMs = 5000;

/** What a daemon receives in addition to its configuration. */
export interface DaemonContext {
  readonly logger: Logger;
  /** Aborted by SIGTERM or SIGINT. */
  readonly signal: AbortSignal;
  /** Names of the flags that were on the command line. */
  readonly explicit: ReadonlySet<string>;
  /** Writes buffered log lines; for work that runs just before the process ends. */
  flushLogs(): void;
  /** Changes `--v` while the daemon runs; undefined where the logger is not that of a process. */
  readonly setVerbosity?: (level: number) => void;
}

/** A daemon: its name, its flags, and what it does. `Config` is what it builds from its flags and files. */
export interface Daemon<T extends FlagTable, Config> {
  readonly name: string;
  readonly description: string;
  /** Whether the engine spares memory at the cost of speed: of a daemon that is idle nearly always. @default false */
  readonly sparesMemory?: boolean;
  /** Must contain `logFlags`. `help` and `version` are added. */
  readonly flags: T & Pick<typeof logFlags, keyof typeof logFlags>;
  /**
   * Validates the flags together and reads the files that they name. It must have no effects: it is also called with
   * the defaults of invalid flags, to find further errors.
   *
   * @param explicit names of the flags that were on the command line
   * @throws ConfigurationError with all errors at once
   */
  configure(flags: FlagValues<T>, explicit: ReadonlySet<string>): Config | Promise<Config>;
  /** Changes the log settings, for daemons whose configuration file has them. */
  logging?(config: Config): LogSettings;
  /** Runs until the signal aborts. What it throws is logged, and ends the process with code 1. */
  run(config: Config, context: DaemonContext): Promise<void>;
}

/** The interface of a process to its environment; tests replace it. */
export interface ProcessIo {
  readonly argv: readonly string[];
  stdout(text: string): void;
  stderr(text: string): void;
  /** Ends the process with this code if something still keeps it alive after this time. */
  exitAfter(ms: number, code: number): void;
}

/**
 * The main program of every daemon: flags in, exit code out. Help, version and `completion SHELL` print and return 0.
 * Errors in flags or configuration give 1, and one line each on standard error: all of them, and nothing else. An
 * unhandled error or rejection is logged and gives 1.
 */
export async function runDaemon<T extends FlagTable, Config>(
  daemon: Daemon<T, Config>,
  io: ProcessIo = processIo(),
): Promise<number> {
  if (daemon.sparesMemory) spareMemory();
  if (io.argv[0] === COMPLETION_COMMAND) return runCompletion(daemon, io.argv, io);
  const program = { name: daemon.name, description: daemon.description, version: versionTexts() };
  const parsed = parseFlags(program, daemon.flags, io.argv);
  if (parsed.type === "exit") {
    io.stdout(parsed.text);
    return parsed.code;
  }
  const reportErrors = (errors: readonly string[]) => {
    // Messages of third-party parsers may have several lines.
    for (const error of errors) io.stderr(`${daemon.name}: ${error.replaceAll(/\s*\n\s*/g, " ")}\n`);
    return 1;
  };
  if (parsed.type === "errors") {
    const further = await furtherErrors(daemon, parsed);
    io.exitAfter(0, 1);
    return reportErrors([...parsed.errors, ...further]);
  }
  const logs = parsed.flags as unknown as FlagValues<typeof logFlags>;
  const logger = createLogger({
    verbosity: logs.v,
    vmodule: logs.vmodule,
    flushMs: logs["log-flush-frequency"],
    format: logs["logging-format"] as LogFormat,
  });

  const { signal, dispose } = rootSignal();
  const stopReleasing = releaseMemoryWhenIdle();
  const crash = Promise.withResolvers<never>();
  const onCrash = (error: unknown) => crash.reject(error);
  process.on("uncaughtException", onCrash);
  process.on("unhandledRejection", onCrash);
  try {
    const context = {
      logger,
      signal,
      explicit: parsed.explicit,
      flushLogs: () => logger.flush(),
      setVerbosity: (level: number) => logger.setVerbosity(level),
    };
    const work = async () => {
      const config = await daemon.configure(parsed.flags, parsed.explicit);
      const logging = daemon.logging?.(config);
      if (logging !== undefined) logger.configure(logging);
      // Not earlier: errors are reported without other output.
      for (const warning of parsed.warnings) logger.warn(warning);
      await daemon.run(config, context);
    };
    await Promise.race([work(), crash.promise]);
    io.exitAfter(lingerMs, 0);
    return 0;
  } catch (error) {
    // A server that still listens must not keep a daemon alive that has failed.
    io.exitAfter(0, 1);
    const errors = configurationErrors(error);
    if (errors !== undefined) {
      logger.flush();
      return reportErrors(errors);
    }
    logger.error(error, `${daemon.name} ended`, {
      stack: error instanceof Error ? originalStack(error.stack ?? "") : errorText(error),
    });
    return 1;
  } finally {
    process.off("uncaughtException", onCrash);
    process.off("unhandledRejection", onCrash);
    stopReleasing();
    dispose();
    logger.flush();
  }
}

/** Errors other than those of invalid flags, as far as they can be found without their values. */
async function furtherErrors<T extends FlagTable, Config>(
  daemon: Daemon<T, Config>,
  parsed: Extract<ParseResult<T>, { readonly type: "errors" }>,
): Promise<readonly string[]> {
  const invalid = [...parsed.invalidFlags].map((name) => new RegExp(`--${name}(?![\\w-])`));
  try {
    await daemon.configure(parsed.flags, parsed.explicit);
    return [];
  } catch (error) {
    // Such an error may be caused by the defaults that replace invalid values.
    return (configurationErrors(error) ?? []).filter((error) => !invalid.some((flag) => flag.test(error)));
  }
}

function processIo(): ProcessIo {
  surviveFullDisk();
  return {
    argv: process.argv.slice(2),
    stdout: (text) => void process.stdout.write(text),
    stderr: (text) => void process.stderr.write(text),
    exitAfter: (ms, code) => void setTimeout(() => process.exit(code), ms).unref(),
  };
}
