import { setTimeout as sleep } from "node:timers/promises";
import { core, storage } from "@orchernetes/api";
import { type Stored, valueOf as wholeValueOf } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import { type CsiClient, createCsiClient } from "@orchernetes/csi";

/** What runs beside a driver: provisioner, attacher and resizer. */
export interface CsiSidecars {
  /** Errors so far: conflicts with other writers are tried again. */
  readonly errors: unknown[];
  stop(): Promise<void>;
}

const pollMs = 100;
const finalizer = "external-attacher/csi-driver";

/**
 * Runs small forms of the programs that connect a driver's controller service to the cluster. They look at everything each time, which is
 * enough for a test.
 *
 * @param endpoint of the driver
 */
export function startCsiSidecars(client: Client, driver: string, endpoint: string): CsiSidecars {
  const csi = createCsiClient(endpoint, { timeoutMs: 10_000 });
  const stopping = new AbortController();
  const errors: unknown[] = [];
  const done = (async () => {
    while (!stopping.signal.aborted) {
      for (const step of [attach, provision, resize])
        await step(client, driver, csi).catch((error) => errors.push(error));
      await sleep(pollMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    errors,
    async stop() {
      stopping.abort();
      await done;
      csi.close();
    },
  };
}

/** Attaches and detaches: the work of the external-attacher. */
async function attach(client: Client, driver: string, csi: CsiClient): Promise<void> {
  const attachments = client.resource(storage.volumeAttachments);
  for (const attachment of (await attachments.list()).items) {
    if (attachment.spec.attacher !== driver) continue;
    const { name, deletionTimestamp, finalizers = [] } = attachment.metadata;
    const volume = await client.resource(core.persistentVolumes).get(attachment.spec.source.persistentVolumeName ?? "");
    const volumeId = volume.spec.csi?.volumeHandle ?? "";
    const node = await client.resource(storage.csiNodes).get(attachment.spec.nodeName);
    const nodeId = node.spec.drivers.find((entry) => entry.name === driver)?.nodeID ?? "";
    if (deletionTimestamp !== undefined) {
      if (!finalizers.includes(finalizer)) continue;
      await csi.controller.controllerUnpublishVolume({ volumeId, nodeId });
      const left = finalizers.filter((one) => one !== finalizer);
      await attachments.patch(name, { metadata: { finalizers: left } }, { type: "merge" });
    } else if (!attachment.status?.attached) {
      if (!finalizers.includes(finalizer))
        await attachments.patch(name, { metadata: { finalizers: [...finalizers, finalizer] } }, { type: "merge" });
      const { publishContext } = await csi.controller.controllerPublishVolume({ volumeId, nodeId });
      const status = { attached: true, attachmentMetadata: publishContext };
      await attachments.patch(name, { status }, { type: "merge", subresource: "status" });
    }
  }
}

type Claim = Stored<core.PersistentVolumeClaim>;

/** Creates volumes for claims: the work of the external-provisioner. Volumes that are released are deleted. */
async function provision(client: Client, driver: string, csi: CsiClient): Promise<void> {
  const classes = (await client.resource(storage.storageClasses).list()).items.filter(
    ({ provisioner }) => provisioner === driver,
  );
  const volumes = client.resource(core.persistentVolumes);
  for (const claim of (await client.resource(core.persistentVolumeClaims).list()).items) {
    const found = classes.find(({ metadata }) => metadata.name === claim.spec.storageClassName);
    if (found === undefined || claim.spec.volumeName) continue;
    const { volume } = await csi.controller.createVolume({
      name: `pvc-${claim.metadata.uid}`,
      capacityRange: { requiredBytes: wholeValueOf(claim.spec.resources?.requests?.storage ?? "1Mi") },
    });
    await volumes.create(volumeFor(claim, driver, volume?.volumeId ?? "", found.metadata.name)).catch(ignoreExisting);
  }
  for (const { metadata, spec, status } of (await volumes.list()).items) {
    if (spec.csi?.driver !== driver || status?.phase !== "Released") continue;
    if (spec.persistentVolumeReclaimPolicy !== "Delete") continue;
    await csi.controller.deleteVolume({ volumeId: spec.csi.volumeHandle });
    await volumes.delete(metadata.name);
  }
}

function volumeFor(claim: Claim, driver: string, handle: string, className: string): core.PersistentVolume {
  const { name, namespace = "", uid } = claim.metadata;
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: handle, annotations: { "pv.orchernetes.io/provisioned-by": driver } },
    spec: {
      capacity: { storage: claim.spec.resources?.requests?.storage ?? "1Mi" },
      accessModes: claim.spec.accessModes ?? [],
      volumeMode: claim.spec.volumeMode ?? "Filesystem",
      storageClassName: className,
      persistentVolumeReclaimPolicy: "Delete",
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", name, namespace, uid },
      csi: { driver, volumeHandle: handle, fsType: "ext4", volumeAttributes: { kind: "directory" } },
    },
    status: {},
  };
}

/** Enlarges volumes whose claims ask for more: the work of the external-resizer. The node does the rest. */
async function resize(client: Client, driver: string, csi: CsiClient): Promise<void> {
  const volumes = client.resource(core.persistentVolumes);
  for (const claim of (await client.resource(core.persistentVolumeClaims).list()).items) {
    const wanted = claim.spec.resources?.requests?.storage;
    if (!claim.spec.volumeName || wanted === undefined || claim.status?.phase !== "Bound") continue;
    const volume = await volumes.get(claim.spec.volumeName);
    const { csi: source, capacity } = volume.spec;
    if (source?.driver !== driver || wholeValueOf(capacity?.storage ?? "0") >= wholeValueOf(wanted)) continue;
    const requiredBytes = wholeValueOf(wanted);
    await csi.controller.controllerExpandVolume({ volumeId: source.volumeHandle, capacityRange: { requiredBytes } });
    await volumes.patch(volume.metadata.name, { spec: { capacity: { storage: wanted } } }, { type: "merge" });
    const { name, namespace = "" } = claim.metadata;
    const condition = { type: "FileSystemResizePending", status: "True" };
    await client
      .resource(core.persistentVolumeClaims)
      .namespace(namespace)
      .patch(name, { status: { conditions: [condition] } }, { type: "merge", subresource: "status" });
  }
}

function ignoreExisting(error: unknown): void {
  if (!(error instanceof Error) || !/already exists/.test(error.message)) throw error;
}
