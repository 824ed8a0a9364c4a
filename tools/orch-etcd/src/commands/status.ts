import { messageOf } from "@orchernetes/kernel";
import { type Command, PartialFailure } from "../command.ts";
import { etcdOptions } from "../options.ts";
import { serversOf, withEtcd } from "../reach.ts";
import { hex, mebibytes, printRows } from "../table.ts";

export const statusCommand: Command = {
  usage: "status",
  describe: "Prints the state of each server: version, size, leader, alarms.",
  operands: {},
  options: [...etcdOptions, "output"],
  async run(values, terminal) {
    const rows = [];
    const failures: string[] = [];
    for (const server of serversOf(values)) {
      try {
        const status = await withEtcd(values, [server], ({ maintenance }) => maintenance.status());
        const id = status.header.member_id;
        rows.push({
          server,
          id: hex(id),
          version: status.version,
          size: mebibytes(status.dbSize),
          "in use": mebibytes(status.dbSizeInUse),
          leader: status.leader === id,
          learner: status.isLearner,
          term: status.raftTerm,
          revision: status.header.revision,
          errors: status.errors.join("; "),
        });
      } catch (error) {
        failures.push(`${server}: ${messageOf(error)}`);
      }
    }
    printRows(rows, values.output, terminal);
    if (failures.length > 0) throw new PartialFailure(failures.join("\n"));
  },
};
