import { type FileHandle, open, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { messageOf } from "@orchernetes/kernel";
import { type Command, textOf } from "./command.ts";
import { connect, connectionOptions } from "./connection.ts";

const PATH = "/debug/snapshot";

/**
 * `orch-scheduler snapshot`: writes the scheduler's state to a new file that only its owner can read. An incomplete file is
 * deleted.
 */
export const snapshotCommand: Command = {
  name: "snapshot",
  operands: "",
  describe: "Writes the scheduler's state to a file, for `explain --from` and `simulate`.",
  positionals: {},
  options: {
    out: { type: "string", demandOption: true, describe: "File to write, which must not exist yet." },
    ...connectionOptions,
  },
  async run(values, terminal) {
    const out = textOf(values, "out") ?? "";
    if (out === "") throw new Error("--out: want the path of a file");
    const client = connect(values);
    try {
      const file = await create(out);
      try {
        const { body } = await client.stream({ method: "GET", path: PATH });
        await pipeline(body, file.createWriteStream());
      } catch (error) {
        await rm(out, { force: true });
        throw error;
      } finally {
        await file.close().catch(() => undefined);
      }
    } finally {
      client.close();
    }
    terminal.print(`Wrote ${out}\n`);
  },
};

/** Creates the file, which only its owner can read: it contains the names and labels of all pods and nodes. */
async function create(path: string): Promise<FileHandle> {
  try {
    return await open(path, "wx", 0o600);
  } catch (cause) {
    const why =
      (cause as NodeJS.ErrnoException).code === "EEXIST" ? "the file exists; want a new one" : messageOf(cause);
    throw new Error(`--out: cannot create ${JSON.stringify(path)}: ${why}`, { cause });
  }
}
