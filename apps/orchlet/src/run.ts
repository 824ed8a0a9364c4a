import { type DaemonContext, runDaemon } from "@orchernetes/component";
import { systemClock } from "@orchernetes/kernel";
import { type Config, completeConfig } from "./config.ts";
import { orchletFlags } from "./flags/index.ts";
import { lockFile } from "./lock-file.ts";
import { logSettings } from "./log-settings.ts";
import { applyProcessLimits } from "./process-limits.ts";
import { runOnce } from "./run-once.ts";
import { startAgent } from "./server.ts";

/** Runs the agent until the signal aborts or another process waits for the lock, or runs the pods once (`--runonce`). */
async function serve(config: Config, context: DaemonContext): Promise<void> {
  const { logger, signal } = context;
  const lock = config.lock && (await lockFile(config.lock, { clock: systemClock, logger, signal }));
  await applyProcessLimits(config.settings, logger);
  const stop = new AbortController();
  const end = AbortSignal.any([signal, stop.signal]);
  try {
    if (config.settings.runOnce) return await runOnce(config, context);
    const agent = await startAgent(config, context);
    const contention = lock !== undefined && config.lock?.exitOnContention ? lock.contended(end) : undefined;
    await Promise.race([...(contention === undefined ? [] : [contention]), aborted(signal)]);
    logger.info("Shutting down; containers keep running", { lockWanted: !signal.aborted });
    await agent.stop();
  } finally {
    stop.abort();
    lock?.release();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Runs the daemon until it receives SIGTERM or SIGINT. @returns the exit code of the process */
export function run(): Promise<number> {
  return runDaemon({
    name: "orchlet",
    description:
      "The node agent: registers this machine as a node of the cluster and keeps the containers of the pods it is given running and healthy.",
    // Of a node's memory its agent should have little, and of its time it uses some hundredths.
    sparesMemory: true,
    flags: orchletFlags,
    configure: completeConfig,
    logging: ({ settings }) => logSettings(settings),
    run: serve,
  });
}
