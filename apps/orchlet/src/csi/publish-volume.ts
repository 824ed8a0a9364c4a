import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { core, storage } from "@orchernetes/api";
import type { Paths } from "../util/paths.ts";
import type { PublishContext } from "./attachments.ts";
import type { CsiDriver, NodeCapabilities } from "./csi-drivers.ts";
import type { CsiPlaces } from "./csi-places.ts";
import { type CsiVolume, capabilityOf, type SecretPlace, takesGroup } from "./csi-volume.ts";
import { type TokenSource, volumeContext } from "./volume-context.ts";
import { readRecord, type VolumeRecord, writeRecord } from "./volume-record.ts";

/** How a pod uses a volume. */
export interface CsiRequest {
  readonly pod: core.Pod;
  readonly volume: CsiVolume;
  /** Reads a secret of the driver. @throws Error if it does not exist */
  secret(place: SecretPlace): Promise<Readonly<Record<string, string>>>;
  readonly token: TokenSource;
  /** `fsGroup` of the pod. */
  readonly group: number | undefined;
  /** Gives the files of the volume to the group. */
  giveToGroup(path: string): Promise<void>;
  /** Set if the claim shows a smaller size than its volume has. Records the new size of the claim. */
  readonly onExpanded: (() => Promise<void>) | undefined;
  readonly signal: AbortSignal;
}

/** What publishing a volume needs. */
export interface CsiCall {
  readonly request: CsiRequest;
  readonly driver: CsiDriver;
  readonly capabilities: NodeCapabilities;
  /** Of the CSIDriver; undefined if there is none. */
  readonly spec: storage.CSIDriverSpec | undefined;
  readonly places: CsiPlaces;
  readonly publishContext: PublishContext;
  /** A record of the volume, without what has been done. */
  readonly record: VolumeRecord;
  readonly bootId: string;
  readonly paths: Paths;
}

/**
 * Stages the volume unless that was done since the host's boot, and publishes it for the pod.
 *
 * @throws RpcError of the driver; Error if a secret or token is missing
 */
export async function stageAndPublish(call: CsiCall): Promise<void> {
  const { request, spec, places, record, bootId, paths } = call;
  if (isStaged(call)) await stage(call);
  await writeRecord(places.folder, { ...record, called: true, doneInBoot: "" }, paths);
  await publish(call);
  const { volume, group } = request;
  const isOwnersTask = group !== undefined && !volume.readOnly && !volume.block && groupOf(call) === undefined;
  if (isOwnersTask && takesGroup(volume, spec)) await request.giveToGroup(places.target);
  await writeRecord(places.folder, { ...record, called: true, doneInBoot: bootId }, paths);
}

/** Publishes a volume again that the pod already has, for drivers that renew its content (`requiresRepublish`). */
export const republish = (call: CsiCall): Promise<void> => publish(call);

const isStaged = ({ request: { volume }, capabilities }: CsiCall): boolean =>
  volume.lifecycle === "Persistent" && capabilities.has("STAGE_UNSTAGE_VOLUME");

/** The group that the driver sets itself (KEP-2317). */
const groupOf = ({ request: { volume, group }, capabilities, spec }: CsiCall): number | undefined =>
  capabilities.has("VOLUME_MOUNT_GROUP") && !volume.block && takesGroup(volume, spec) ? group : undefined;

async function stage(call: CsiCall): Promise<void> {
  const { request, driver, capabilities, places, publishContext, record, bootId, paths } = call;
  const { volume, signal } = request;
  const { stagingFolder, staging } = places;
  // Of a damaged record nothing is known: the volume is staged again, which is idempotent.
  const staged = await readRecord(stagingFolder).catch(() => undefined);
  if (staged?.doneInBoot === bootId) return;
  await writeRecord(stagingFolder, { ...record, called: true, doneInBoot: "" }, paths);
  await mkdir(staging, { recursive: true, mode: paths.folderMode });
  await driver.client.node.nodeStageVolume(
    {
      volumeId: volume.handle,
      publishContext,
      stagingTargetPath: staging,
      volumeCapability: capabilityOf(volume, capabilities, groupOf(call)),
      secrets: await secretsOf(request, volume.stageSecret),
      volumeContext: volume.attributes,
    },
    { signal },
  );
  await writeRecord(stagingFolder, { ...record, called: true, doneInBoot: bootId }, paths);
}

async function publish(call: CsiCall): Promise<void> {
  const { request, driver, capabilities, spec, places, publishContext, paths } = call;
  const { pod, volume, token, signal } = request;
  const { staging, target } = places;
  await mkdir(dirname(target), { recursive: true, mode: paths.folderMode });
  await driver.client.node.nodePublishVolume(
    {
      volumeId: volume.handle,
      publishContext,
      stagingTargetPath: isStaged(call) ? staging : "",
      targetPath: target,
      volumeCapability: capabilityOf(volume, capabilities, groupOf(call)),
      readonly: volume.readOnly,
      secrets: await secretsOf(request, volume.publishSecret),
      volumeContext: await volumeContext(pod, volume, spec, token),
    },
    { signal },
  );
}

/** Enlarges the file system or device of a volume on the node, if the driver can, and records that. */
export async function expandVolume(call: CsiCall): Promise<void> {
  const { request, driver, capabilities, places } = call;
  const { volume, signal, onExpanded } = request;
  if (onExpanded === undefined || volume.readOnly || !capabilities.has("EXPAND_VOLUME")) return;
  await driver.client.node.nodeExpandVolume(
    {
      volumeId: volume.handle,
      volumePath: places.target,
      capacityRange: { requiredBytes: volume.capacityBytes },
      stagingTargetPath: isStaged(call) ? places.staging : "",
      volumeCapability: capabilityOf(volume, capabilities),
      secrets: await secretsOf(request, volume.expandSecret),
    },
    { signal },
  );
  await onExpanded();
}

const secretsOf = async ({ secret }: CsiRequest, place: SecretPlace | undefined) =>
  place === undefined ? {} : await secret(place);
