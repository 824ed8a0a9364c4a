import type { Command } from "../command.ts";
import { etcdOptions } from "../options.ts";
import { serversOf, withEtcd } from "../reach.ts";
import { hex, printRows } from "../table.ts";

export const membersCommand: Command = {
  usage: "members",
  describe: "Lists the members of the etcd cluster.",
  operands: {},
  options: [...etcdOptions, "output"],
  async run(values, terminal) {
    const { members } = await withEtcd(values, serversOf(values), ({ cluster }) => cluster.memberList({}));
    const rows = members.map(({ ID, name, peerURLs, clientURLs, isLearner }) => ({
      id: hex(ID),
      // A member that was added and has not started has no name.
      name,
      "peer urls": peerURLs.join(","),
      "client urls": clientURLs.join(","),
      learner: isLearner,
    }));
    printRows(rows, values.output, terminal);
  },
};
