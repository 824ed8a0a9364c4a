import { messageOf } from "@orchernetes/kernel";
import { AlarmAction } from "etcd3/lib/rpc.js";
import { type Command, PartialFailure } from "../command.ts";
import { etcdOptions } from "../options.ts";
import { serversOf, withEtcd } from "../reach.ts";
import { hex, mebibytes, printRows } from "../table.ts";

export const defragCommand: Command = {
  usage: "defrag",
  describe:
    "Releases the disk space that compaction has freed, one server after the other. A server does not respond meanwhile.",
  operands: {},
  options: etcdOptions,
  async run(values, { print }) {
    const failures: string[] = [];
    for (const server of serversOf(values)) {
      try {
        await withEtcd(values, [server], async ({ maintenance }) => {
          const before = await maintenance.status();
          await maintenance.defragment();
          const after = await maintenance.status();
          print(`${server}: ${mebibytes(before.dbSize)} before, ${mebibytes(after.dbSize)} after`);
        });
      } catch (error) {
        failures.push(`${server}: ${messageOf(error)}`);
      }
    }
    if (failures.length > 0) throw new PartialFailure(failures.join("\n"));
  },
};

export const compactCommand: Command = {
  usage: "compact [revision]",
  describe:
    "Deletes the history before a revision (default: the latest). Watches that start before it get 410 and list again.",
  operands: { revision: { type: "number", describe: "The oldest revision that can still be read." } },
  options: etcdOptions,
  async run(values, { print }) {
    const { revision } = values;
    if (revision !== undefined && !(Number.isSafeInteger(revision) && revision > 0))
      throw new Error(`"${revision}" is not a revision; want a whole number above 0`);
    await withEtcd(values, serversOf(values), async ({ kv }) => {
      const latest = async () => (await kv.range({ key: Buffer.from([0]), keys_only: true })).header.revision;
      const at = revision ?? Number(await latest());
      await kv.compact({ revision: at, physical: true });
      print(`compacted at revision ${at}`);
    });
  },
};

export const alarmCommand: Command = {
  usage: "alarm <action>",
  describe: "Lists the alarms of members, or disarms them after their cause has been removed.",
  operands: { action: { choices: ["list", "disarm"], describe: "What to do." } },
  options: [...etcdOptions, "output"],
  async run(values, terminal) {
    await withEtcd(values, serversOf(values), async ({ maintenance }) => {
      const { alarms } = await maintenance.alarm({ action: AlarmAction.Get });
      if (values.action === "disarm")
        for (const { memberID, alarm } of alarms)
          await maintenance.alarm({ action: AlarmAction.Deactivate, memberID, alarm });
      const rows = alarms.map(({ memberID, alarm }) => ({ member: hex(memberID), alarm: alarm.toUpperCase() }));
      printRows(rows, values.output, terminal);
      if (rows.length === 0) terminal.say("no alarms");
      else if (values.action === "disarm") terminal.say("disarmed");
    });
  },
};
