import { createHash } from "node:crypto";
import { mkdir, readdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readRegularFile } from "@orchernetes/host";
import { messageOf } from "@orchernetes/kernel";
import { isPathPart, type Paths } from "../util/paths.ts";

/**
 * What the agent records about a volume that a driver mounts, in the original's file and with its names. It is written before the
 * first call, so that the successor of an agent that is killed finds on the disk what it must undo.
 */
export interface VolumeRecord {
  readonly driverName: string;
  readonly volumeHandle: string;
  /** See `CsiVolume.name`. */
  readonly specVolID: string;
  readonly volumeLifecycleMode: "Persistent" | "Ephemeral";
  /** Name of the VolumeAttachment; "" if the volume is not attached. */
  readonly attachmentID: string;
  readonly block: boolean;
  /** Whether the driver has been called for it: only then must it be called to undo that. */
  readonly called: boolean;
  /** The boot of the host in which the call has succeeded; "" if it has not. */
  readonly doneInBoot: string;
}

/** A record, and the folder in which it is. */
export interface FoundRecord {
  readonly folder: string;
  readonly record: VolumeRecord;
}

/** A record that cannot be read, and the folder in which it is. */
export interface DamagedRecord {
  readonly folder: string;
  readonly error: unknown;
}

/** The records of several volumes. One that is damaged does not hide the others. */
export interface Records {
  readonly found: readonly FoundRecord[];
  readonly damaged: readonly DamagedRecord[];
}

/** Plugin name of CSI volumes in the paths of pods. */
export const csiPlugin = "csi";
const fileName = "vol_data.json";
const maxBytes = 65_536;

/** The folder of a staged volume: handles may have characters that names of files cannot have. */
export const stagingFolder = (paths: Paths, driver: string, handle: string): string =>
  paths.csiStaging(driver, createHash("sha256").update(handle).digest("hex"));

/** Writes the record, which is complete or not there. */
export async function writeRecord(folder: string, record: VolumeRecord, { folderMode }: Paths): Promise<void> {
  await mkdir(folder, { recursive: true, mode: folderMode });
  const file = join(folder, fileName);
  await writeFile(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** The record in a folder; undefined if there is none. @throws Error if it cannot be read or is none */
export async function readRecord(folder: string): Promise<VolumeRecord | undefined> {
  let text: string;
  try {
    text = (await readRegularFile(join(folder, fileName), { maxBytes })).toString("utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
  const file = join(folder, fileName);
  const value = parse(text, file);
  const textOf = (key: keyof VolumeRecord): string => {
    const part: unknown = Reflect.get(value, key);
    return typeof part === "string" ? part : "";
  };
  const [driverName, volumeHandle, specVolID] = [textOf("driverName"), textOf("volumeHandle"), textOf("specVolID")];
  // The name becomes a part of paths.
  if (driverName === "" || volumeHandle === "" || !isPathPart(specVolID))
    throw new Error(`${file} is no record of a volume: want texts driverName, volumeHandle and specVolID`);
  return {
    driverName,
    volumeHandle,
    specVolID,
    volumeLifecycleMode: textOf("volumeLifecycleMode") === "Ephemeral" ? "Ephemeral" : "Persistent",
    attachmentID: textOf("attachmentID"),
    block: Reflect.get(value, "block") === true,
    called: Reflect.get(value, "called") !== false,
    doneInBoot: textOf("doneInBoot"),
  };
}

function parse(text: string, file: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
  if (typeof value !== "object" || value === null) throw new Error(`${file} is not an object of JSON`);
  return value;
}

/** The records of a pod's volumes. */
export async function recordsOfPod(paths: Paths, uid: string): Promise<Records> {
  // Only the parent folder is needed; the name is arbitrary.
  return recordsIn(dirname(paths.volume(uid, csiPlugin, "any")));
}

/** The records of all pods on the node, by the uids of the pods. */
export async function recordsOfPods(paths: Paths): Promise<ReadonlyMap<string, Records>> {
  const ofPods = new Map<string, Records>();
  for (const uid of await list(paths.pods)) {
    if (!isPathPart(uid)) continue;
    const records = await recordsOfPod(paths, uid);
    if (records.found.length + records.damaged.length > 0) ofPods.set(uid, records);
  }
  return ofPods;
}

/** The records of all volumes that are staged on the node. */
export async function stagedRecords(paths: Paths): Promise<Records> {
  const all: Records[] = [];
  for (const driver of await list(paths.csiStagings)) all.push(await recordsIn(join(paths.csiStagings, driver)));
  return { found: all.flatMap(({ found }) => found), damaged: all.flatMap(({ damaged }) => damaged) };
}

async function recordsIn(parent: string): Promise<Records> {
  const found: FoundRecord[] = [];
  const damaged: DamagedRecord[] = [];
  for (const name of await list(parent)) {
    const folder = join(parent, name);
    try {
      const record = await readRecord(folder);
      if (record !== undefined) found.push({ folder, record });
    } catch (error) {
      damaged.push({ folder, error });
    }
  }
  return { found, damaged };
}

async function list(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}
