import { existsSync } from "node:fs";
import { saveSnapshot, snapshotSource } from "@orchernetes/storage/transfer";
import type { Command } from "../command.ts";
import { etcdOptions } from "../options.ts";
import { prefixOf, serversOf, withEtcd } from "../reach.ts";
import { mebibytes } from "../table.ts";
import { writeStore } from "./write-store.ts";

export const snapshotSaveCommand: Command = {
  usage: "snapshot save <file>",
  describe: "Saves the whole content of etcd in a file, in etcd's own format.",
  operands: { file: { type: "string", describe: "The file, which must not exist." } },
  options: [...etcdOptions, "overwrite"],
  async run(values, { print, say }) {
    const { file, overwrite } = values;
    if (existsSync(file) && !overwrite)
      throw new Error(`the file "${file}" exists; choose another name, or --overwrite to replace it`);
    const bytes = await withEtcd(values, serversOf(values), (transport) => saveSnapshot(transport, file, say));
    print(`${mebibytes(bytes)} saved to "${file}"; the checksum is right`);
  },
};

export const snapshotRestoreCommand: Command = {
  usage: "snapshot restore <file>",
  describe: "Writes the keys of a snapshot to an empty etcd or a new embedded store, while no API server runs.",
  operands: { file: { type: "string", describe: "A snapshot of etcd." } },
  options: [...etcdOptions, "etcd-prefix", "embedded-store-path", "to", "overwrite", "new-revisions"],
  async run(values, terminal) {
    const source = await snapshotSource(values.file, prefixOf(values));
    try {
      await writeStore(source, values, terminal);
    } finally {
      await source.close();
    }
  },
};
