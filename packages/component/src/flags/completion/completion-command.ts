import { messageOf } from "@orchernetes/kernel";
import yargs from "yargs";
import { COMPLETION_COMMAND, type CompletedProgram, completionScripts, SHELLS } from "./completion-scripts.ts";

/** Where {@link runCompletion} writes. */
export interface CompletionOutput {
  stdout(text: string): void;
  stderr(text: string): void;
}

/**
 * Runs `<program> completion SHELL`: prints the script with which that shell completes the flags of the program.
 *
 * @param argv without the program, but with the word `completion`
 * @returns the exit code: 1 for a shell that is missing or unknown, or for further arguments
 */
export async function runCompletion(
  program: CompletedProgram,
  argv: readonly string[],
  output: CompletionOutput,
): Promise<number> {
  const parser = yargs()
    .scriptName(program.name)
    .command(
      `${COMPLETION_COMMAND} <shell>`,
      `Print the script that completes the flags of ${program.name} in a shell`,
      (command) =>
        command
          .positional("shell", { choices: SHELLS, demandOption: true, describe: "Shell that runs the script" })
          .example(`source <($0 ${COMPLETION_COMMAND} bash)`, "Completes flags in this session of bash"),
      ({ shell }) => output.stdout(completionScripts[shell](program)),
    )
    .version(false)
    .strict()
    .exitProcess(false)
    .fail(false);
  try {
    await parser.parseAsync([...argv], {}, (_error: unknown, _values: unknown, help: string) => {
      if (help !== "") output.stdout(`${help}\n`);
    });
    return 0;
  } catch (error) {
    const message = messageOf(error);
    output.stderr(`${program.name}: ${message.replaceAll(/\s*\n\s*/g, " ").trim()}\n`);
    return 1;
  }
}
