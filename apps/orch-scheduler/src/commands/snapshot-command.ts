import { open, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { type Command, textOf } from "./command.ts";
import { connect, connectionOptions } from "./connection.ts";

const PATH = "/debug/snapshot";

/**
 * `orch-scheduler snapshot`: writes the scheduler's state to a new file that only its owner can read. Nothing is left of
 * a file that could not be completed.
 */
export const snapshotCommand: Command = {
  name: "snapshot",
  operands: "",
  describe: "Writes the state that decisions depend on to a file, for `explain --from` and `simulate`.",
  positionals: {},
  options: {
    out: { type: "string", demandOption: true, describe: "The file, which must not exist." },
    ...connectionOptions,
  },
  async run(values, terminal) {
    const out = textOf(values, "out") ?? "";
    if (out === "") throw new Error("--out: want the path of a file");
    const client = connect(values);
    try {
      // Names of pods, their labels and nodes are nobody else's business.
      const file = await open(out, "wx", 0o600);
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
