import type { coordination } from "@orchernetes/api";
import type { StorageVersion } from "@orchernetes/api/apiserverinternal/v1alpha1";
import { isConflict, isNotFound, type Stored } from "@orchernetes/apimachinery";
import type { Client, Lister } from "@orchernetes/client";
import { inOrder } from "@orchernetes/controller";
import { defineController } from "../../shared/define-controller.ts";
import { leases as leasesRef, storageVersions as storageVersionsRef } from "../../shared/refs.ts";
import { type GcAction, type GcState, reconcile } from "./reconcile.ts";

const NAMESPACE = "orch-system";
const LABEL = "apiserver.orchernetes.io/identity";
const COMPONENT = "orch-apiserver";

const serversOf = ({ status }: Stored<StorageVersion>): readonly string[] =>
  (status.storageVersions ?? []).map(({ apiServerID = "" }) => apiServerID);

/** The servers of a StorageVersion that have a lease. The server is asked before one is taken for gone. */
async function liveServers(
  client: Client,
  known: Lister<coordination.Lease>,
  storageVersion: Stored<StorageVersion>,
): Promise<ReadonlySet<string>> {
  const live = new Set<string>();
  for (const name of serversOf(storageVersion)) {
    if (known.get(NAMESPACE, name) !== undefined || (await hasLease(client, name))) live.add(name);
  }
  return live;
}

async function hasLease(client: Client, name: string): Promise<boolean> {
  if (name === "") return false;
  try {
    const { metadata } = await client.resource(leasesRef).namespace(NAMESPACE).get(name);
    return metadata.labels?.[LABEL] === COMPONENT;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** Somebody else was faster: an event reports what became of the object. */
function ignoreOutdated(error: unknown): void {
  if (!isNotFound(error) && !isConflict(error)) throw error;
}

/**
 * Removes from StorageVersion objects what API servers published that are gone, which their expired identity leases show (KEP-2339).
 */
export const storageVersionGcController = defineController<{ readonly isEnabled: boolean }>({
  name: "storage-version-gc",
  serviceAccount: "storage-version-garbage-collector",
  gates: ["APIServerIdentity", "StorageVersionAPI"],
  settings: ({ gates }) => ({ isEnabled: gates.enabled("APIServerIdentity") && gates.enabled("StorageVersionAPI") }),
  build(shell, { isEnabled }) {
    if (!isEnabled) return;
    const { client } = shell.context;
    const queue = shell.queue("storage_version_garbage_collector_storageversions");
    const leases = shell.ownInformer(leasesRef, { namespace: NAMESPACE, labelSelector: `${LABEL}=${COMPONENT}` });
    const storageVersions = shell.ownInformer(storageVersionsRef, {});
    const enqueue = (object: Stored<StorageVersion>): void => {
      if (serversOf(object).some((name) => leases.lister.get(NAMESPACE, name) === undefined))
        queue.add(object.metadata.name);
    };
    storageVersions.addHandler({ onAdd: enqueue, onUpdate: (_, object) => enqueue(object) });
    leases.addHandler({
      onDelete({ metadata: { name } }) {
        for (const object of storageVersions.lister.list())
          if (serversOf(object).includes(name)) queue.add(object.metadata.name);
      },
    });
    shell.loop({
      queue,
      workers: 1,
      async gather(name): Promise<GcState | undefined> {
        const storageVersion = storageVersions.lister.get("", name);
        return storageVersion && { storageVersion, live: await liveServers(client, leases.lister, storageVersion) };
      },
      reconcile,
      carryOut: inOrder<GcAction, GcState>({
        async Delete(_, { storageVersion: { metadata } }) {
          const { name, uid, resourceVersion } = metadata;
          const preconditions = { uid, resourceVersion };
          await client.resource(storageVersionsRef).delete(name, { preconditions }).catch(ignoreOutdated);
        },
        async UpdateStatus({ storageVersion }) {
          await client.resource(storageVersionsRef).updateStatus(storageVersion).catch(ignoreOutdated);
        },
      }),
    });
  },
});
