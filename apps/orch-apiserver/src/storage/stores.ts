import type { Dialer, EventLoop, Logger } from "@orchernetes/kernel";
import { openEmbeddedStore, openEtcdStore, type Store } from "@orchernetes/storage";
import { OwnCompaction, SharedCompaction } from "./compaction.ts";
import type { StoreOverride } from "./overrides.ts";

/** Where objects are kept. */
export type StoreConfig =
  | { readonly type: "embedded"; readonly path: string }
  | {
      readonly type: "etcd3";
      readonly servers: readonly string[];
      /** Stands in etcd where `/registry` stands in keys; without a slash at the end. */
      readonly prefix: string;
      /** Resources with separate servers. */
      readonly overrides: readonly StoreOverride[];
      readonly caFile?: string;
      readonly certFile?: string;
      readonly keyFile?: string;
      readonly leaseReuseSeconds: number;
    };

/** What identifies a resource, regardless of its version. */
export interface GroupResource {
  readonly group: string;
  readonly plural: string;
}

/** `pods`, `deployments.apps`. */
export function resourceName({ group, plural }: GroupResource): string {
  return group === "" ? plural : `${plural}.${group}`;
}

/** One engine and how it is compacted. */
export interface OpenStore {
  /** Part of check and metric names: "" for the one that has everything not overridden, else what it overrides. */
  readonly name: string;
  /** Where it is: the first server's address, or the folder. */
  readonly endpoint: string;
  readonly store: Store;
  readonly compaction: { turn(): ReturnType<SharedCompaction["turn"]> };
}

/** The engines of a server. */
export interface Stores {
  /** The main one first. */
  readonly all: readonly OpenStore[];
  readonly main: Store;
  /** The engine that keeps a resource's objects. */
  storeOf(resource: GroupResource): Store;
  /** Ends all of them. */
  close(): Promise<void>;
}

/** What keys of all objects start with in this process. */
export const keyRoot = "/registry";

/**
 * Opens the configured stores.
 *
 * @throws StoreError
 */
export async function openStores(
  config: StoreConfig,
  {
    logger,
    loop,
    dial,
  }: {
    readonly logger: Logger;
    readonly loop: EventLoop;
    /** Opens connections to etcd. @default directly */
    readonly dial?: Dialer | undefined;
  },
): Promise<Stores> {
  const log = logger.child({ component: "store" });
  if (config.type === "embedded") {
    const store = await openEmbeddedStore({ path: config.path, loop, logger: log });
    return stores([{ name: "", endpoint: config.path, store, compaction: new OwnCompaction(store) }], new Map());
  }
  const { type: _, overrides, ...options } = config;
  // Resources with the same servers share a connection and a stream of changes.
  const byServers = new Map<string, Promise<OpenStore>>();
  const open = (servers: readonly string[], name: string): Promise<OpenStore> => {
    const id = [...servers].sort().join(";");
    let opening = byServers.get(id);
    if (opening === undefined) {
      opening = openEtcdStore({ ...options, servers, dial, root: keyRoot, logger: log }).then((store) => ({
        name,
        endpoint: servers[0] ?? "",
        store,
        compaction: new SharedCompaction(store),
      }));
      byServers.set(id, opening);
    }
    return opening;
  };
  const main = open(config.servers, "");
  const overridden = overrides.map(({ resource, servers }) => ({ resource, opening: open(servers, resource) }));
  const settled = await Promise.allSettled(byServers.values());
  const failed = settled.find((result) => result.status === "rejected");
  if (failed !== undefined) {
    for (const result of settled) if (result.status === "fulfilled") await result.value.store.close();
    throw failed.reason;
  }
  const byResource = new Map<string, Store>();
  for (const { resource, opening } of overridden) byResource.set(resource, (await opening).store);
  await main;
  return stores(await Promise.all(byServers.values()), byResource);
}

function stores(all: readonly OpenStore[], byResource: ReadonlyMap<string, Store>): Stores {
  const [first] = all;
  if (first === undefined) throw new TypeError("a server needs a store");
  return {
    all,
    main: first.store,
    storeOf: ({ group, plural }) => byResource.get(`${group}/${plural}`) ?? first.store,
    async close() {
      for (const { store } of all) await store.close();
    },
  };
}
