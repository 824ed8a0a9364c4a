import { messageOf } from "@orchernetes/kernel";
import { type GoValue, goChecksum, goList, goMap, goScalar, goStruct } from "../checkpoint/go-text.ts";
import { isObject, readStateFile, writeStateFile } from "../checkpoint/state-file.ts";

/** Devices of one resource that a container has. */
export interface DeviceEntry {
  readonly podUid: string;
  readonly container: string;
  readonly resource: string;
  /** Ids of devices by NUMA node; −1 for devices that belong to none. */
  readonly devices: Readonly<Record<string, readonly string[]>>;
  /** The plugin's answer, encoded. */
  readonly response: Buffer;
}

/**
 * The state that survives a restart of the agent: which containers have which devices, and which resources plugins have registered.
 */
export interface DeviceCheckpoint {
  readonly entries: readonly DeviceEntry[];
  readonly registered: Readonly<Record<string, readonly string[]>>;
}

const none: DeviceCheckpoint = { entries: [], registered: {} };

/** Reads the checkpoint, whose form is that of the original; empty if there is none. @throws Error if it is damaged */
export function readDeviceCheckpoint(path: string): DeviceCheckpoint {
  const found = readStateFile(path);
  if (found === undefined) return none;
  try {
    const data = found.Data;
    if (!isObject(data)) throw new Error("want an object Data");
    const { PodDeviceEntries: entries, RegisteredDevices: registered } = data;
    const checkpoint: DeviceCheckpoint = {
      entries: entries === null ? [] : entriesOf(entries),
      registered: registered === null ? {} : lists(registered),
    };
    if (found.Checksum !== checksumOf(checkpoint, entries !== null)) throw new Error("the checksum is wrong");
    return checkpoint;
  } catch (error) {
    throw new Error(`checkpoint is corrupted: ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** Replaces the checkpoint. @throws Error if it cannot be written */
export function writeDeviceCheckpoint(path: string, checkpoint: DeviceCheckpoint): void {
  const { entries, registered } = checkpoint;
  writeStateFile(path, {
    Data: {
      PodDeviceEntries:
        entries.length === 0
          ? null
          : entries.map(({ podUid, container, resource, devices, response }) => ({
              PodUID: podUid,
              ContainerName: container,
              ResourceName: resource,
              DeviceIDs: devices,
              AllocResp: response.toString("base64"),
            })),
      RegisteredDevices: registered,
    },
    Checksum: checksumOf(checkpoint, entries.length > 0),
  });
}

function entriesOf(value: unknown): readonly DeviceEntry[] {
  if (!Array.isArray(value)) throw new Error("want a list PodDeviceEntries");
  return value.map((entry: unknown) => {
    if (!isObject(entry)) throw new Error("want objects in PodDeviceEntries");
    const { PodUID, ContainerName, ResourceName, DeviceIDs, AllocResp } = entry;
    const response = AllocResp ?? "";
    if (![PodUID, ContainerName, ResourceName, response].every((text) => typeof text === "string"))
      throw new Error("want texts in PodDeviceEntries");
    return {
      podUid: String(PodUID),
      container: String(ContainerName),
      resource: String(ResourceName),
      devices: listsByNode(DeviceIDs),
      response: Buffer.from(String(response), "base64"),
    };
  });
}

/** Lists of ids by the number of a NUMA node, or −1. */
function listsByNode(value: unknown): Readonly<Record<string, readonly string[]>> {
  const byNode = lists(value);
  if (!Object.keys(byNode).every((node) => /^(-1|\d{1,4})$/.test(node))) throw new Error("want ids by NUMA node");
  return byNode;
}

function lists(value: unknown): Readonly<Record<string, readonly string[]>> {
  if (!isObject(value)) throw new Error("want lists of ids by name");
  return Object.fromEntries(
    Object.entries(value).map(([name, ids]) => {
      if (!Array.isArray(ids) || !ids.every((id) => typeof id === "string")) throw new Error("want lists of ids");
      return [name, ids];
    }),
  );
}

function checksumOf({ entries, registered }: DeviceCheckpoint, hasEntries: boolean): number {
  const text = (value: string) => goScalar("string", value);
  const idLists = (type: string, map: Readonly<Record<string, readonly string[]>>): GoValue =>
    goMap(
      type,
      Object.entries(map).map(([name, ids]) => [name, goList("[]string", ids.map(text))]),
    );
  const entryType = "[]checkpoint.PodDevicesEntry";
  const ofEntries = goList(
    entryType,
    entries.map(({ podUid, container, resource, devices, response }) =>
      goStruct("checkpoint.PodDevicesEntry", {
        PodUID: text(podUid),
        ContainerName: text(container),
        ResourceName: text(resource),
        DeviceIDs: idLists("checkpoint.DevicesPerNUMA", devices),
        // As a list of scalars, without an object for each byte.
        AllocResp: { type: "[]uint8", text: `[${response.join(" ")}]` },
      }),
    ),
  );
  return goChecksum(
    goStruct("checkpoint.checkpointData", {
      PodDeviceEntries: hasEntries ? ofEntries : goScalar(entryType, "<nil>"),
      RegisteredDevices: idLists("map[string][]string", registered),
    }),
  );
}
