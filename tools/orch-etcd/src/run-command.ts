import { messageOf } from "@orchernetes/kernel";
import yargs from "yargs";
import type { Command, Terminal } from "./command.ts";
import { alarmCommand, compactCommand, defragCommand } from "./commands/maintenance.ts";
import { membersCommand } from "./commands/members.ts";
import { migrateCommand } from "./commands/migrate.ts";
import { snapshotRestoreCommand, snapshotSaveCommand } from "./commands/snapshot.ts";
import { statusCommand } from "./commands/status.ts";
import { options, type Values } from "./options.ts";

/** All commands; those of two words are grouped by the first one. */
export const commands: readonly Command[] = [
  statusCommand,
  membersCommand,
  snapshotSaveCommand,
  snapshotRestoreCommand,
  defragCommand,
  compactCommand,
  alarmCommand,
  migrateCommand,
];

/**
 * Runs one command.
 *
 * @param args without the names of node and the script
 * @returns the exit code: 0, or 1 after an error, which has been printed
 */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const parser = yargs()
    .scriptName("orch-etcd")
    .usage("$0 <command>\n\nAdministers the store of a cluster.")
    .exitProcess(false)
    .version(false)
    .strict()
    .demandCommand(1, "A command is needed.")
    .fail(false);
  let chosen: (() => Promise<void>) | undefined;
  const groups = Map.groupBy(commands, ({ usage }) => (/^\w+ \w/.test(usage) ? (usage.split(" ")[0] ?? "") : ""));
  const add = (to: typeof parser, command: Command, usage: string) =>
    to.command({
      command: usage,
      describe: command.describe,
      builder: (own) => {
        for (const [name, operand] of Object.entries(command.operands)) own.positional(name, operand);
        for (const name of command.options) own.option(name, options[name]);
        return own;
      },
      handler: (values) => {
        chosen = () => command.run(values as unknown as Values, terminal);
      },
    });
  for (const [group, members] of groups) {
    if (group === "") for (const command of members) add(parser, command, command.usage);
    else
      parser.command({
        command: group,
        describe: members.map(({ describe }) => describe).join(" "),
        builder: (own) => {
          for (const command of members) add(own, command, command.usage.slice(group.length + 1));
          return own.demandCommand(1, "A command is needed.");
        },
        handler: () => {},
      });
  }
  try {
    await parser.parse([...args], {}, (_error: unknown, _values: unknown, output: string) => {
      if (output !== "") terminal.print(output);
    });
    await chosen?.();
    return 0;
  } catch (error) {
    terminal.say(`orch-etcd: ${messageOf(error)}`);
    return 1;
  }
}
