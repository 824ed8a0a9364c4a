import { type DaemonContext, runDaemon } from "@orchernetes/component";
import { completeConfig, type Flags } from "./config.ts";
import { apiserverFlags } from "./flags/index.ts";
import { startServer } from "./server.ts";

async function run(flags: Flags, context: DaemonContext): Promise<void> {
  const server = await startServer(completeConfig(flags), context);
  await new Promise<void>((resolve) => {
    if (context.signal.aborted) resolve();
    else context.signal.addEventListener("abort", () => resolve(), { once: true });
  });
  context.logger.info("Shutting down");
  await server.stop();
}

process.exitCode = await runDaemon({
  name: "orch-apiserver",
  description:
    "Validates and stores the objects of the cluster, and is the front end through which all other components work together.",
  flags: apiserverFlags,
  run,
});
