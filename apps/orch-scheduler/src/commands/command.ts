import type { Options, PositionalOptions } from "yargs";

/** The output of a command. */
export interface Terminal {
  /** Results, to standard output. */
  print(text: string): void;
  /** Errors, to standard error. */
  say(text: string): void;
}

/** The values of operands and options, as parsed by yargs. */
export type Values = Readonly<Record<string, unknown>>;

/** A command of the binary beside the daemon itself. */
export interface Command {
  readonly name: string;
  /** Its operands in the syntax of yargs, such as `<pod>`. */
  readonly operands: string;
  readonly describe: string;
  readonly positionals: Readonly<Record<string, PositionalOptions>>;
  readonly options: Readonly<Record<string, Options>>;
  /** @throws Error with a message for the user */
  run(values: Values, terminal: Terminal): Promise<void>;
}

/** The value of an option that is text; undefined if it is not given. @throws Error if it was given twice */
export function textOf(values: Values, name: string): string | undefined {
  const value = values[name];
  if (value === undefined || typeof value === "string") return value;
  throw new Error(`--${name}: specified twice; want it once`);
}

/** The option that allows users' plugins to be loaded. */
export const configOption = {
  config: {
    type: "string",
    describe:
      "Scheduler configuration that names the modules of users' plugins; only with --from. Without it, these plugins are ignored, because a snapshot must not decide which modules are loaded.",
  },
} as const;

/** The output formats. */
export const outputOption = {
  output: { choices: ["text", "json"], default: "text", alias: "o", describe: "Output format." },
} as const;
