import { createDaemonMetrics, type DaemonContext, type Metrics } from "@orchernetes/component";
import { type EventLoop, type Logger, systemEventLoop } from "@orchernetes/kernel";
import { startTracing, type Tracer } from "@orchernetes/tracing";
import type { Config } from "../config.ts";
import type { Flags } from "../flags/index.ts";

/** What every stage is given: the configuration, and where a server logs, counts and records. */
export interface ServerProcess {
  readonly config: Config;
  readonly flags: Flags;
  /** Names of the flags that were on the command line. */
  readonly explicit: ReadonlySet<string>;
  readonly logger: Logger;
  readonly loop: EventLoop;
  readonly metrics: Metrics;
  /** Undefined: nothing is traced. */
  readonly tracer: Tracer | undefined;
  /** Aborts when the server receives the signal to stop: it takes no new work. */
  readonly stopping: AbortSignal;
  /** Aborts when everything has been answered: all parts end. */
  readonly ended: AbortSignal;
}

/** Begins metrics and tracing. */
export async function startProcess(
  config: Config,
  { logger, explicit }: Pick<DaemonContext, "logger" | "explicit">,
  { stopping, ended }: Pick<ServerProcess, "stopping" | "ended">,
): Promise<ServerProcess> {
  const { flags, tracing } = config;
  const metrics = createDaemonMetrics(flags, ended);
  const tracer =
    tracing === undefined
      ? undefined
      : await startTracing({ service: "apiserver", configuration: tracing, logger, signal: ended });
  return { config, flags, explicit, logger, loop: systemEventLoop, metrics, tracer, stopping, ended };
}

/** An option if it has a value, for spreading into options: absent ones take their default. */
export function given<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]?: V });
}
