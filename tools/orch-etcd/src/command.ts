import type { PositionalOptions } from "yargs";
import type { OptionName, Values } from "./options.ts";

/** The output of a command. */
export interface Terminal {
  /** Results, to standard output. */
  print(text: string): void;
  /** Progress and errors, to standard error. */
  say(text: string): void;
}

/** One row of the table of commands. */
export interface Command {
  /** Its words and operands in the syntax of yargs, such as `snapshot save <file>`. */
  readonly usage: string;
  readonly describe: string;
  readonly operands: Readonly<Record<string, PositionalOptions>>;
  readonly options: readonly OptionName[];
  /** @throws Error with a message for the user */
  run(values: Values, terminal: Terminal): Promise<void>;
}

/** The command has failed for some servers; the results of the others are printed. */
export class PartialFailure extends Error {
  override readonly name = "PartialFailure";
}
