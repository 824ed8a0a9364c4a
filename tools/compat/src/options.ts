import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import yargs from "yargs";

/** What is replayed against what. */
export interface Options {
  /** Folder of the recordings and their `replay.mjs`; absolute. */
  readonly folder: string;
  readonly stores: readonly ("embedded" | "etcd")[];
  /** Against a whole cluster too, for the scenarios that need controllers or a node. */
  readonly cluster: boolean;
  /** Only scenarios whose name contains it (or matches it, as `/regex/`). */
  readonly filter?: string;
  /** Client for the recordings of the command line. */
  readonly orchctl?: string;
  /** Stock client that plays them, through a proxy that applies the naming rule; `debian`: the one of Debian's package. */
  readonly kubectl?: string;
  /** Whether the counts go into `docs/compatibility.md`. */
  readonly write: boolean;
}

/** @throws Error naming the option, what was found, what would do */
export async function parseOptions(argv: readonly string[]): Promise<Options> {
  const parsed = await yargs([...argv])
    .scriptName("recordings")
    .usage("$0 FOLDER [options]\n\nReplays recorded API conversations and writes docs/compatibility.md.")
    .options({
      stores: { type: "string", default: "embedded,etcd", describe: "Stores to try, by commas" },
      cluster: { type: "boolean", default: false, describe: "Against a whole cluster as well" },
      filter: { type: "string", requiresArg: true, describe: "Only scenarios with this in their name" },
      orchctl: { type: "string", requiresArg: true, describe: "Client for the recordings of the command line" },
      kubectl: {
        type: "string",
        requiresArg: true,
        conflicts: "orchctl",
        describe: "Stock client for them, its names translated: a path, or debian for the one that Debian has",
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
