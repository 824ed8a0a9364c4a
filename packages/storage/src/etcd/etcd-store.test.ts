import { etcdAvailable, startEtcd } from "../testing/start-etcd.ts";
import { storeContract } from "../testing/store-contract.ts";
import { openEtcdStore } from "./etcd-store.ts";

for (const prefix of ["", "/tenant"]) {
  storeContract(
    `etcd${prefix === "" ? "" : " under a prefix"}`,
    async () => {
      const etcd = await startEtcd({ unsafeNoFsync: true });
      const store = await openEtcdStore({ servers: [etcd.url], prefix });
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
