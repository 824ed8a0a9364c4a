import { etcdAvailable, startEtcd } from "../testing/start-etcd.ts";
import { storeContract } from "../testing/store-contract.ts";
import { openEtcdStore } from "./etcd-store.ts";
import type { Connect } from "./http2/connection.ts";
import { NodeConnection } from "./http2/node-connection.ts";

const reference: Connect = (target) => new NodeConnection(target);

for (const { name, prefix, connect } of [
  { name: "etcd", prefix: "", connect: undefined },
  { name: "etcd under a prefix", prefix: "/tenant", connect: undefined },
  { name: "etcd by the reference connection", prefix: "", connect: reference },
]) {
  storeContract(
    name,
    async () => {
      const etcd = await startEtcd({ unsafeNoFsync: true });
      const store = await openEtcdStore({ servers: [etcd.url], prefix, ...(connect === undefined ? {} : { connect }) });
      return {
        store,
        async stop() {
          await store.close();
          await etcd.stop();
        },
      };
    },
    { skip: etcdAvailable() ? undefined : "/usr/bin/etcd is not installed" },
  );
}
