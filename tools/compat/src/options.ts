import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import yargs from "yargs";

/** What to replay, and against what. */
export interface Options {
  /** Folder of the recordings and their `replay.mjs`; absolute. */
  readonly folder: string;
  readonly stores: readonly ("embedded" | "etcd")[];
  /** Whether to replay against a whole cluster as well, for scenarios that need controllers or a node. */
  readonly cluster: boolean;
  /** Only scenarios whose name contains it (or matches it, as `/regex/`). */
  readonly filter?: string;
  /** Path of a client for the recordings of command lines. */
  readonly orchctl?: string;
  /**
   * Path of a stock client for them, used through a proxy that translates names; `debian`: the one in the Debian
   * package.
   */
  readonly kubectl?: string;
  /** Whether to write the counts to `docs/compatibility.md`. */
  readonly write: boolean;
}

/**
 * Parses the command line.
 * @throws Error that names the option, the value found and the values accepted
 */
export async function parseOptions(argv: readonly string[]): Promise<Options> {
  const parsed = await yargs([...argv])
    .scriptName("recordings")
    .usage("$0 FOLDER [options]\n\nReplays recorded API conversations and writes docs/compatibility.md.")
    .options({
      stores: { type: "string", default: "embedded,etcd", describe: "Comma-separated stores to run on" },
      cluster: { type: "boolean", default: false, describe: "Also run against a whole cluster" },
      filter: { type: "string", requiresArg: true, describe: "Only scenarios with this in their name" },
      orchctl: { type: "string", requiresArg: true, describe: "Client for the recordings of the command line" },
      kubectl: {
        type: "string",
        requiresArg: true,
        conflicts: "orchctl",
        describe: "Stock client for them, with translated names: a path, or debian for the Debian package",
      },
      write: { type: "boolean", describe: "Write docs/compatibility.md [default: unless --filter]" },
    })
    .strictOptions()
    .version(false)
    .fail((message, error) => {
      throw new Error(message || error.message);
    })
    .parseAsync();
  const [folder, ...more] = parsed._.map(String);
  if (folder === undefined || more.length > 0)
    throw new Error("one argument is expected: the folder of the recordings, with replay.mjs in it");
  if (!existsSync(join(folder, "replay.mjs"))) throw new Error(`there is no replay.mjs in ${JSON.stringify(folder)}`);
  const stores = parsed.stores.split(",").map((store) => {
    if (store !== "embedded" && store !== "etcd")
      throw new Error(`--stores: found ${JSON.stringify(store)}; stores are embedded and etcd`);
    return store;
  });
  return {
    folder: resolve(folder),
    stores,
    cluster: parsed.cluster,
    write: parsed.write ?? parsed.filter === undefined,
    ...(parsed.filter === undefined ? {} : { filter: parsed.filter }),
    ...(parsed.kubectl === undefined
      ? {}
      : { kubectl: parsed.kubectl === "debian" ? parsed.kubectl : resolve(parsed.kubectl) }),
    ...(parsed.orchctl === undefined ? {} : { orchctl: resolve(parsed.orchctl) }),
  };
}
