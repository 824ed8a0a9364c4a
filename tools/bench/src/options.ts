import yargs from "yargs";

/** The options of the benchmark. */
export interface Options {
  /** Ids of the rows to measure; empty means all. */
  readonly rows: readonly string[];
  /** Less work per row: shows that it works, with rough figures. By default nothing is written. */
  readonly quick: boolean;
  /** The store of rows without one of their own. */
  readonly store: "etcd" | "embedded";
  /** Measures how the server's use of resources grows with the number of objects, instead of the rows. */
  readonly growth: boolean;
  /** Folder of another checkout whose API server is compared with this one's, instead of measuring the rows. */
  readonly against?: string;
  /** How many times each piece of a comparison is measured on either side. */
  readonly rounds: number;
  /** How many times the servers of a comparison are started. */
  readonly starts: number;
  /** Whether the results are written to the page of what was measured: `docs/benchmarks.md`, `growth.md` or `benchmarks-compared.md`. */
  readonly write: boolean;
}

/**
 * Parses the command line.
 *
 * @param known the ids of all rows
 * @param hasEtcd whether etcd can be started
 * @throws Error with the option, the value that was found, and the accepted ones
 */
export async function parseOptions(
  argv: readonly string[],
  known: readonly string[],
  hasEtcd: boolean,
): Promise<Options> {
  const parsed = await yargs([...argv])
    .scriptName("npm run bench --")
    .usage("$0 [options]\n\nMeasures the budgets of the design and writes docs/benchmarks.md.")
    .options({
      rows: { type: "string", requiresArg: true, describe: `Rows to measure, comma-separated: ${known.join(", ")}` },
      growth: {
        type: "boolean",
        default: false,
        describe: "Measure at 1,000 to 150,000 pods and 5,000 watchers instead",
      },
      quick: { type: "boolean", default: false, describe: "Less work per row; nothing is written" },
      against: {
        type: "string",
        requiresArg: true,
        describe: "Compare CPU time a request with the API server of another checkout in this folder",
      },
      rounds: { type: "number", default: 15, describe: "Rounds of a comparison" },
      starts: { type: "number", default: 3, describe: "Starts of the servers of a comparison, which share its rounds" },
      store: {
        choices: ["etcd", "embedded"] as const,
        describe: "Store of the rows without one of their own [default: etcd if it is installed]",
      },
      write: {
        type: "boolean",
        describe: "Write docs/benchmarks.md, growth.md or benchmarks-compared.md [default: unless --quick]",
      },
    })
    .strict()
    .version(false)
    .fail((message, error) => {
      throw new Error(message || error.message);
    })
    .parseAsync();
  const rows = (parsed.rows ?? "").split(",").filter((id) => id !== "");
  for (const id of rows)
    if (!known.includes(id)) throw new Error(`--rows: unknown row "${id}"; want one of ${known.join(", ")}`);
  if (parsed.store === "etcd" && !hasEtcd)
    throw new Error("--store=etcd: etcd is not installed (Debian package etcd-server)");
  const store = parsed.store ?? (hasEtcd ? "etcd" : "embedded");
  for (const option of ["rounds", "starts"] as const)
    if (!Number.isInteger(parsed[option]) || parsed[option] < 1)
      throw new Error(`--${option}: found ${parsed[option]}, expected a whole number from 1`);
  const { quick, growth, rounds, starts, against } = parsed;
  const compared = against === undefined ? {} : { against };
  return { rows, quick, growth, store, rounds, starts, write: parsed.write ?? !quick, ...compared };
}
