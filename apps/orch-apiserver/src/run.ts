import { type DaemonContext, runDaemon } from "@orchernetes/component";
import { type Config, completeConfig } from "./config.ts";
import { apiserverFlags } from "./flags/index.ts";
import { aborted, startServer } from "./server.ts";

async function serve(config: Config, context: DaemonContext): Promise<void> {
  const server = await startServer(config, context);
  await aborted(context.signal);
  context.logger.info("Shutting down");
  await server.stop();
}

/** Runs the daemon until it receives a signal to stop; returns the process's exit code. */
export function run(): Promise<number> {
  return runDaemon({
    name: "orch-apiserver",
    description:
      "Validates and stores the objects of the cluster, and is the front end through which all other components work together.",
    flags: apiserverFlags,
    configure: completeConfig,
    run: serve,
  });
}
