import { runDaemon } from "@orchernetes/component";
import { writeConfiguration } from "./config/write-configuration.ts";
import { completeConfig } from "./config.ts";
import { schedulerFlags } from "./flags/index.ts";
import { runServer } from "./server.ts";

/** Runs the daemon until it receives a signal to stop; returns the process's exit code. */
export function run(): Promise<number> {
  return runDaemon({
    name: "orch-scheduler",
    description: "Watches for pods without a node and binds each to the best node.",
    flags: schedulerFlags,
    configure: completeConfig,
    async run(config, context) {
      const target = config.flags["write-config-to"];
      if (target === "") {
        await runServer(config, context);
        return;
      }
      await writeConfiguration(target, config.settings);
      context.logger.info("Wrote the configuration", { file: target });
    },
  });
}
