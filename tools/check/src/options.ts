import { resolve } from "node:path";
import yargs, { type Options } from "yargs";

/** The options of the command. */
const table = {
  orchconfig: {
    type: "string",
    demandOption: true,
    describe: "Client configuration of an administrator of the cluster.",
  },
  data: {
    type: "string",
    describe: "Data folder of a cluster of `npm run up` on this host: its processes and files are looked at, too.",
  },
  process: {
    type: "string",
    array: true,
    default: [] as string[],
    describe: "A process of this host as NAME=PID, such as orch-apiserver=12 or orchlet-NODE=13. May be repeated.",
  },
  output: {
    choices: ["text", "json"] as const,
    default: "text" as const,
    alias: "o",
    describe: "Format of the result.",
  },
} as const satisfies Readonly<Record<string, Options>>;

/** What to check, and how to show it. */
export interface CheckOptions {
  /** Absolute. */
  readonly orchconfig: string;
  /** Absolute. */
  readonly data: string | undefined;
  readonly processes: ReadonlyMap<string, number>;
  readonly output: "text" | "json";
}

/**
 * Reads the command line.
 *
 * @param cwd the folder that relative paths are in
 * @returns text to print instead of checking, for --help
 * @throws Error naming the option, what was found, and what would have been accepted
 */
export async function parseOptions(
  args: readonly string[],
  cwd: string,
): Promise<CheckOptions | { readonly text: string }> {
  const parser = yargs([...args])
    .scriptName("npm run check --")
    .usage(
      "$0 --orchconfig FILE [options]\n\nJudges a running cluster by the controls of the CIS Kubernetes Benchmark. Nothing is changed. The exit code is 1 if a control fails.",
    )
    .options(table)
    .strict()
    .exitProcess(false)
    .version(false)
    .fail((message, error) => {
      throw error ?? new Error(message);
    });
  let text = "";
  const parsed = await parser.parseAsync([...args], {}, (_error: unknown, _values: unknown, output: string) => {
    text = output;
  });
  if (text !== "") return { text };
  return {
    orchconfig: resolve(cwd, parsed.orchconfig),
    data: parsed.data === undefined ? undefined : resolve(cwd, parsed.data),
    processes: new Map(parsed.process.map(parseProcess)),
    output: parsed.output,
  };
}

/** Reads `NAME=PID`. @throws Error for another form */
function parseProcess(text: string): readonly [string, number] {
  const [, name, pid] = /^([a-z0-9.-]+)=([1-9]\d{0,9})$/.exec(text) ?? [];
  if (name === undefined) throw new Error(`--process: found ${JSON.stringify(text)}; want NAME=PID`);
  return [name, Number(pid)];
}
