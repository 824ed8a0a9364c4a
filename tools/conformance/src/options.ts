import { resolve } from "node:path";
import yargs from "yargs";

/** Matches the names of the specs that certify a cluster. */
export const CERTIFYING = "\\[Conformance\\]";

/** The stores that the API server can keep its data in. */
export const STORES = ["embedded", "etcd"] as const;
/** One of {@link STORES}. */
export type StoreName = (typeof STORES)[number];

/** Whose node agent and scheduler a cluster can have: those of this project, or those which were built with the suite. */
export const ORIGINS = ["own", "reference"] as const;
/** One of {@link ORIGINS}. */
export type Origin = (typeof ORIGINS)[number];

/** Options of `conformance`. */
export interface Options {
  /** Folder of the built suite; absolute. */
  readonly suite: string;
  readonly stores: readonly StoreName[];
  /** Nodes of the cluster; some specs need two. */
  readonly nodes: number;
  /** Whose node agent the nodes have. */
  readonly agent: Origin;
  /** Whose scheduler the cluster has. */
  readonly scheduler: Origin;
  /** Number of concurrent specs, except `[Serial]` ones. */
  readonly parallel: number;
  /** Regular expression that the names of specs to run match. */
  readonly focus: string;
  /** Regular expression that the names of specs to leave out match. */
  readonly skip?: string;
  /** Folder for the suite's output, absolute; earlier results there are used for specs that are not run again. */
  readonly results?: string;
  /** Whether to write `docs/conformance.md`. */
  readonly write: boolean;
}

function wholeNumber(name: string, value: number, most: number): number {
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new Error(`--${name}: found ${value}; a whole number from 1 to ${most} is expected`);
  return value;
}

/**
 * Parses the command line.
 * @throws Error that names the option, the value found and the values accepted
 */
export async function parseOptions(argv: readonly string[]): Promise<Options> {
  const parsed = await yargs([...argv])
    .scriptName("conformance")
    .usage("$0 SUITE [options]\n\nRuns the certifying suite against a local cluster and writes docs/conformance.md.")
    .options({
      stores: { type: "string", default: "embedded,etcd", describe: "Stores to run on, separated by commas" },
      nodes: { type: "number", default: 2, describe: "Nodes of the cluster" },
      agent: {
        choices: ORIGINS,
        default: "own" as const,
        describe: "Node agent: that of this project, or of the suite",
      },
      scheduler: {
        choices: ORIGINS,
        default: "own" as const,
        describe: "Scheduler: that of this project, or of the suite",
      },
      parallel: { type: "number", default: 4, describe: "Specs to run at the same time, [Serial] ones excepted" },
      focus: { type: "string", default: CERTIFYING, describe: "Run only specs that match this expression" },
      skip: { type: "string", requiresArg: true, describe: "Skip specs that match this expression" },
      results: {
        type: "string",
        requiresArg: true,
        describe:
          "Folder for the output of the suite; results of earlier runs in it count as well [default: a new one]",
      },
      write: { type: "boolean", describe: "Write docs/conformance.md [default: unless narrowed without --results]" },
    })
    .strictOptions()
    .version(false)
    .fail((message, error) => {
      throw new Error(message || error.message);
    })
    .parseAsync();
  const [suite, ...more] = parsed._.map(String);
  if (suite === undefined || more.length > 0)
    throw new Error("one argument is expected: the folder in which the suite was built");
  const stores = parsed.stores.split(",").map((store) => {
    const known = STORES.find((each) => each === store);
    if (known === undefined)
      throw new Error(`--stores: found ${JSON.stringify(store)}; the stores are embedded and etcd`);
    return known;
  });
  const narrowed = parsed.focus !== CERTIFYING || parsed.skip !== undefined;
  return {
    suite: resolve(suite),
    stores,
    nodes: wholeNumber("nodes", parsed.nodes, 50),
    agent: parsed.agent,
    scheduler: parsed.scheduler,
    parallel: wholeNumber("parallel", parsed.parallel, 64),
    focus: parsed.focus,
    ...(parsed.skip === undefined ? {} : { skip: parsed.skip }),
    ...(parsed.results === undefined ? {} : { results: resolve(parsed.results) }),
    write: parsed.write ?? (!narrowed || parsed.results !== undefined),
  };
}
