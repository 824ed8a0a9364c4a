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
export function runCompletion(program: CompletedProgram, argv: readonly string[], output: CompletionOutput): number {
  const [, given, ...more] = argv;
  const command = `${program.name} ${COMPLETION_COMMAND}`;
  if (given === "--help" || given === "-h") {
    output.stdout(`Usage: ${command} ${SHELLS.join("|")}

Prints the script that completes the flags of ${program.name} in a shell. For this session of bash:
  source <(${command} bash)
`);
    return 0;
  }
  const shell = SHELLS.find((name) => name === given);
  if (shell !== undefined && more.length === 0) {
    output.stdout(completionScripts[shell](program));
    return 0;
  }
  output.stderr(`${command}: ${errorOf(given, shell !== undefined, more)}; want one of ${SHELLS.join(", ")}\n`);
  return 1;
}

function errorOf(given: string | undefined, isShell: boolean, [more = ""]: readonly string[]): string {
  if (isShell) return `unexpected argument ${JSON.stringify(more)}`;
  if (given === undefined) return "no shell is given";
  return `unknown ${given.startsWith("-") ? "flag" : "shell"} ${JSON.stringify(given)}`;
}
