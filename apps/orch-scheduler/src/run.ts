import { runDaemon } from "@orchernetes/component";
import { writeConfiguration } from "./config/write-configuration.ts";
import { completeConfig } from "./config.ts";
import { schedulerFlags } from "./flags/index.ts";
import { runServer } from "./server.ts";

/** The commands that can be given instead of starting the daemon. */
const commands: readonly string[] = ["explain", "snapshot", "simulate"];

const listed = (names: readonly string[]): string => `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

/**
 * Runs the daemon until it receives a signal to stop, or one of the commands; returns the process's exit code.
 */
export async function run(): Promise<number> {
  const args = process.argv.slice(2);
  if (args[0] !== undefined && commands.includes(args[0])) {
    // The daemon does not load the parser of commands.
    const { runCommand } = await import("./commands/run-command.ts");
    return runCommand(args, {
      print: (text) => void process.stdout.write(text),
      say: (text) => void process.stderr.write(text),
    });
  }
  return runDaemon({
    name: "orch-scheduler",
    description: `Watches for pods without a node and binds each to the best node. The commands ${listed(commands)} say more with --help.`,
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
