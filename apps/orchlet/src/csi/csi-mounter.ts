import { basename } from "node:path";
import type { storage } from "@orchernetes/api";
import { attachmentName, uniqueVolumeName } from "@orchernetes/component-helpers";
import type { NodeGetVolumeStatsResponse } from "@orchernetes/csi";
import { KeyedQueue, type Logger } from "@orchernetes/kernel";
import type { Paths } from "../util/paths.ts";
import type { Attachments } from "./attachments.ts";
import type { CsiDrivers } from "./csi-drivers.ts";
import { type CsiPlaces, mountOf, placesOf } from "./csi-places.ts";
import { type CsiVolume, checkLifecycle } from "./csi-volume.ts";
import { type CsiCall, type CsiRequest, expandVolume, republish, stageAndPublish } from "./publish-volume.ts";
import { removeDamaged, unpublish, unstage } from "./unpublish-volume.ts";
import {
  csiPlugin,
  type DamagedRecord,
  type FoundRecord,
  readRecord,
  recordsOfPod,
  recordsOfPods,
  stagedRecords,
  stagingFolder,
  type VolumeRecord,
  writeRecord,
} from "./volume-record.ts";
import type { VolumesInUse } from "./volumes-in-use.ts";

/** The options of a CSI mounter. */
export interface CsiMounterOptions {
  readonly paths: Paths;
  readonly nodeName: string;
  /** Identifies the boot of the host: mounts do not survive it. */
  readonly bootId: string;
  readonly drivers: CsiDrivers;
  /** The CSIDriver of a driver; undefined if there is none. */
  readonly driverSpec: (driver: string, signal: AbortSignal) => Promise<storage.CSIDriverSpec | undefined>;
  /** Undefined where the agent would have to attach volumes (`enableControllerAttachDetach: false`). */
  readonly attachments: Attachments | undefined;
  readonly inUse: VolumesInUse;
  readonly logger: Logger;
}

/** Identity of a volume for its lock. */
type VolumeId = Pick<CsiVolume, "driver" | "handle">;

const idOf = ({ driverName, volumeHandle }: VolumeRecord): VolumeId => ({ driver: driverName, handle: volumeHandle });

/**
 * Publishes CSI volumes for pods and unpublishes them. The calls for one volume run one after the other, also those of several pods. Each
 * step is recorded on the disk before the driver is called, so that the successor of an agent that is killed at any point continues it.
 */
export class CsiMounter {
  readonly #options: CsiMounterOptions;
  readonly #queue = new KeyedQueue();
  /** What the records of volumes that this agent has prepared say, by their folders: in place of records that are damaged later. */
  readonly #prepared = new Map<string, VolumeRecord>();

  constructor(options: CsiMounterOptions) {
    this.#options = options;
  }

  /**
   * Prepares a volume for a pod, and returns its path: a folder, or a device. Idempotent; a volume that the pod has is not published
   * again unless its driver requires that.
   *
   * @throws RpcError; Error if the driver is not registered, or the volume is not attached yet
   */
  async prepare(request: CsiRequest): Promise<string> {
    const { paths, drivers, driverSpec, nodeName, bootId } = this.#options;
    const { pod, volume, signal } = request;
    const spec = await driverSpec(volume.driver, signal);
    checkLifecycle(volume, spec);
    const places = placesOf(paths, pod.metadata.uid ?? "", volume);
    let isDamaged = false;
    const known = await readRecord(places.folder).catch((error: unknown) => {
      // The volume is known, so that it can be published again.
      isDamaged = true;
      this.#options.logger.error(error, "The record of a volume is damaged and is written again", {
        podUid: pod.metadata.uid,
      });
      return undefined;
    });
    if (known !== undefined && (known.driverName !== volume.driver || known.volumeHandle !== volume.handle))
      throw new Error(`the pod has another volume of the name "${volume.name}"`);
    const isDone = known?.doneInBoot === bootId;
    const repeats = spec?.requiresRepublish === true;
    if (isDone && !repeats && request.onExpanded === undefined) {
      this.#prepared.set(places.folder, known);
      return places.target;
    }

    const driver = drivers.get(volume.driver);
    const isAttachable = volume.lifecycle === "Persistent" && spec?.attachRequired !== false;
    const record: VolumeRecord = {
      driverName: volume.driver,
      volumeHandle: volume.handle,
      specVolID: volume.name,
      volumeLifecycleMode: volume.lifecycle,
      attachmentID: isAttachable ? attachmentName(volume, nodeName) : "",
      block: volume.block,
      called: isDamaged,
      doneInBoot: "",
    };
    // From here on, no other pod that ends can have the volume unstaged.
    await this.#inTurn(volume, async () => {
      if (isDamaged || (await readRecord(places.folder)) === undefined) await writeRecord(places.folder, record, paths);
    });
    this.#prepared.set(places.folder, { ...record, called: true });
    const publishContext = isAttachable ? await this.#attached(request) : {};
    const capabilities = await driver.capabilities();
    const call: CsiCall = { request, driver, capabilities, spec, places, publishContext, record, bootId, paths };
    await this.#inTurn(volume, async () => {
      if (!isDone) await stageAndPublish(call);
      else if (repeats) await republish(call);
      await expandVolume(call);
    });
    return places.target;
  }

  #attached({ volume, signal }: CsiRequest) {
    const { attachments } = this.#options;
    if (attachments !== undefined) return attachments.attached(volume, signal);
    throw new Error(
      `volume ${volume.handle} of CSI driver ${volume.driver} must be attached by the controller; set enableControllerAttachDetach to true, or attachRequired of the CSIDriver to false`,
    );
  }

  /**
   * Unpublishes all volumes of a pod, and unstages those that no other pod uses. Idempotent.
   *
   * @throws RpcError; Error; one of them after all volumes have been tried
   */
  async release(uid: string): Promise<void> {
    const { found, damaged } = await recordsOfPod(this.#options.paths, uid);
    const errors: unknown[] = [];
    for (const one of found) await this.#releaseOne(uid, one).catch((error: unknown) => errors.push(error));
    for (const one of damaged) await this.#releaseDamaged(uid, one).catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  }

  #releaseOne(uid: string, found: FoundRecord): Promise<void> {
    const { record, folder } = found;
    const { target } = this.#placesOf(uid, record);
    return this.#inTurn(idOf(record), async () => {
      await unpublish(found, target, this.#options.drivers);
      this.#prepared.delete(folder);
      // collectStaged retries a failure, so the pod need not wait for it.
      await this.#unstageUnused(record).catch((error: unknown) =>
        this.#options.logger.error(error, "Unable to unstage a volume", { volume: record.volumeHandle }),
      );
    });
  }

  async #releaseDamaged(uid: string, damaged: DamagedRecord): Promise<void> {
    const { paths, logger } = this.#options;
    const { folder, error } = damaged;
    logger.error(error, "The record of a volume is damaged", { folder, podUid: uid });
    const record = this.#prepared.get(folder);
    if (record !== undefined) await this.#releaseOne(uid, { folder, record });
    else await removeDamaged(damaged, [mountOf(folder), paths.volumeDevice(uid, csiPlugin, basename(folder))]);
  }

  /** Unstages volumes that no pod uses: an agent was killed before it could, or the driver was not there. @throws AggregateError */
  async collectStaged(): Promise<void> {
    const { found, damaged } = await stagedRecords(this.#options.paths);
    const errors: unknown[] = damaged.map(({ error }) => error);
    const ofDriver = async (records: readonly FoundRecord[]): Promise<void> => {
      for (const { record } of records)
        await this.#inTurn(idOf(record), () => this.#unstageUnused(record)).catch((error) => errors.push(error));
    };
    // One that does not respond does not delay the volumes of others.
    await Promise.all([...Map.groupBy(found, ({ record }) => record.driverName).values()].map(ofDriver));
    if (errors.length > 0) throw new AggregateError(errors, "volumes could not be unstaged");
  }

  /** The use of a volume of a pod as its driver reports it; undefined if the driver cannot. @throws RpcError; Error */
  async usage(uid: string, record: VolumeRecord): Promise<NodeGetVolumeStatsResponse | undefined> {
    const { client, capabilities } = this.#options.drivers.get(record.driverName);
    if (!(await capabilities()).has("GET_VOLUME_STATS")) return undefined;
    const { target, staging } = this.#placesOf(uid, record);
    const stagingTargetPath = (await capabilities()).has("STAGE_UNSTAGE_VOLUME") ? staging : "";
    return client.node.nodeGetVolumeStats({ volumeId: record.volumeHandle, volumePath: target, stagingTargetPath });
  }

  /** The records of a pod's volumes that can be read. */
  async volumesOf(uid: string): Promise<readonly FoundRecord[]> {
    return (await recordsOfPod(this.#options.paths, uid)).found;
  }

  #placesOf(uid: string, record: VolumeRecord): CsiPlaces {
    return placesOf(this.#options.paths, uid, { ...idOf(record), name: record.specVolID, block: record.block });
  }

  /** Unstages a volume unless a pod uses it; then it may be detached. Runs in the volume's turn. */
  async #unstageUnused({ driverName: driver, volumeHandle: handle, specVolID }: VolumeRecord): Promise<void> {
    const { paths, drivers, inUse } = this.#options;
    const isUsed = [...(await recordsOfPods(paths))].some(
      ([uid, { found, damaged }]) =>
        found.some(({ record }) => record.driverName === driver && record.volumeHandle === handle) ||
        damaged.some(({ folder }) => folder === paths.volume(uid, csiPlugin, specVolID)),
    );
    if (isUsed) return;
    const folder = stagingFolder(paths, driver, handle);
    const record = await readRecord(folder);
    if (record !== undefined) await unstage({ folder, record }, drivers);
    inUse.delete(uniqueVolumeName({ driver, handle }));
  }

  #inTurn(volume: VolumeId, job: () => Promise<void>): Promise<void> {
    return this.#queue.run(uniqueVolumeName(volume), job);
  }
}
