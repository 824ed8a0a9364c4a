import { type DaemonContext, runDaemon } from "@orchernetes/component";
import { type Config, completeConfig } from "./config.ts";
import { orchletFlags } from "./flags/index.ts";
import { logSettings } from "./log-settings.ts";
import { startAgent } from "./server.ts";

/** Runs the agent until the signal aborts. */
async function serve(config: Config, context: DaemonContext): Promise<void> {
  const agent = await startAgent(config, context);
  await new Promise<void>((resolve) => {
    if (context.signal.aborted) resolve();
    else context.signal.addEventListener("abort", () => resolve(), { once: true });
  });
  context.logger.info("Shutting down; containers keep running");
  await agent.stop();
}

/** Runs the daemon until it receives SIGTERM or SIGINT. @returns the exit code of the process */
export function run(): Promise<number> {
  return runDaemon({
    name: "orchlet",
    description:
      "The node agent: registers this machine as a node of the cluster and keeps the containers of the pods it is given running and healthy.",
    flags: orchletFlags,
    configure: completeConfig,
    logging: ({ settings }) => logSettings(settings),
    run: serve,
  });
}
