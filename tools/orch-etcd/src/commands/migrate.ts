import { embeddedSource, etcdSource } from "@orchernetes/storage/transfer";
import type { Command } from "../command.ts";
import { etcdOptions } from "../options.ts";
import { embeddedPath, prefixOf, serversOf, withEtcd } from "../reach.ts";
import { writeStore } from "./write-store.ts";

export const migrateCommand: Command = {
  usage: "migrate",
  describe:
    "Moves a cluster from the embedded store to etcd, or from etcd to the embedded store, while no API server runs.",
  operands: {},
  options: [...etcdOptions, "etcd-prefix", "embedded-store-path", "to", "overwrite", "new-revisions"],
  async run(values, terminal) {
    // Options are checked before anything is read.
    const path = embeddedPath(values);
    const prefix = prefixOf(values);
    if (values.to === "etcd") {
      const source = await embeddedSource(path);
      try {
        await writeStore(source, values, terminal);
      } finally {
        await source.close();
      }
      return;
    }
    await withEtcd(values, serversOf(values), async (transport) => {
      await writeStore(await etcdSource({ transport, prefix }), values, terminal);
    });
  },
};
