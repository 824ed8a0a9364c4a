import { resolve } from "node:path";
import yargs from "yargs";

/** What is done with the images. */
export interface Options {
  /** containerd's socket to import them into; absolute. */
  readonly socket?: string;
  /** Folder to write them to, as archives; absolute. */
  readonly out?: string;
}

/** @throws Error naming the option, what was found, what would do */
export async function parseOptions(argv: readonly string[]): Promise<Options> {
  const parsed = await yargs([...argv])
    .scriptName("images")
    .usage(
      "$0 [--socket SOCK] [--out DIR]\n\nBuilds localhost/pause:1 and localhost/busybox:1 from this machine's busybox.",
    )
    .options({
      socket: { type: "string", requiresArg: true, describe: "Socket of the containerd to import them into" },
      out: { type: "string", requiresArg: true, describe: "Folder to write them to, as OCI archives" },
    })
    .strict()
    .version(false)
    .fail((message, error) => {
      throw new Error(message || error.message);
    })
    .parseAsync();
  if (parsed.socket === undefined && parsed.out === undefined)
    throw new Error(
      "nothing to do with the images: give --socket SOCK to import them, --out DIR to write them, or both",
    );
  return {
    ...(parsed.socket === undefined ? {} : { socket: resolve(parsed.socket.replace(/^unix:\/\//, "")) }),
    ...(parsed.out === undefined ? {} : { out: resolve(parsed.out) }),
  };
}
