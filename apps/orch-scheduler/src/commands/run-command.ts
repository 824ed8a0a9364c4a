import { messageOf } from "@orchernetes/kernel";
import yargs from "yargs";
import type { Command, Terminal } from "./command.ts";
import { explainCommand } from "./explain-command.ts";
import { simulateCommand } from "./simulate-command.ts";
import { snapshotCommand } from "./snapshot-command.ts";

const commands: readonly Command[] = [explainCommand, snapshotCommand, simulateCommand];

/**
 * Runs one of the commands.
 *
 * @param args the command line, which begins with the command
 * @returns the exit code: 0, or 1 after an error, which has been printed
 */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  let chosen: (() => Promise<void>) | undefined;
  const parser = yargs()
    .scriptName("orch-scheduler")
    .exitProcess(false)
    .version(false)
    .strict()
    .parserConfiguration({ "camel-case-expansion": false, "parse-positional-numbers": false })
    .demandCommand(1, 1, "A command is needed.")
    .fail(false);
  for (const command of commands)
    parser.command({
      command: `${command.name} ${command.operands}`.trim(),
      describe: command.describe,
      builder: (own) => {
        for (const [name, positional] of Object.entries(command.positionals)) own.positional(name, positional);
        return own.options(command.options);
      },
      handler: (values) => {
        chosen = () => command.run(values, terminal);
      },
    });
  try {
    await parser.parse([...args], {}, (_error: unknown, _values: unknown, output: string) => {
      if (output !== "") terminal.print(`${output}\n`);
    });
    await chosen?.();
    return 0;
  } catch (error) {
    terminal.say(`orch-scheduler: ${messageOf(error)}\n`);
    return 1;
  }
}
