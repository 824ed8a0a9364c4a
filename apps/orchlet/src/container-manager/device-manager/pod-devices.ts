import type { DeviceEntry } from "./device-checkpoint.ts";
import { ContainerAllocateResponse } from "./device-plugin-api.ts";

/** The key of devices without a NUMA node. */
const nodeless = "-1";

/** Which containers have which devices. */
export class PodDevices {
  /** By pod uid, container and resource. */
  readonly #pods = new Map<string, Map<string, Map<string, DeviceEntry>>>();

  constructor(entries: Iterable<DeviceEntry>) {
    for (const entry of entries) this.insert(entry);
  }

  insert(entry: DeviceEntry): void {
    const { podUid, container, resource } = entry;
    const ofPod = this.#pods.get(podUid) ?? new Map<string, Map<string, DeviceEntry>>();
    this.#pods.set(podUid, ofPod);
    const ofContainer = ofPod.get(container) ?? new Map<string, DeviceEntry>();
    ofPod.set(container, ofContainer);
    ofContainer.set(resource, entry);
  }

  /** @returns whether the pod had devices */
  delete(podUid: string): boolean {
    return this.#pods.delete(podUid);
  }

  /** Uids of pods that have devices. */
  pods(): readonly string[] {
    return [...this.#pods.keys()];
  }

  entries(): readonly DeviceEntry[] {
    return [...this.#pods.values()].flatMap((ofPod) =>
      [...ofPod.values()].flatMap((ofContainer) => [...ofContainer.values()]),
    );
  }

  /** The devices of a container, by resource. */
  of(podUid: string, container: string): ReadonlyMap<string, DeviceEntry> {
    return this.#pods.get(podUid)?.get(container) ?? new Map();
  }

  /** Ids of the devices that a container has of a resource; undefined if it has none. */
  ids(podUid: string, container: string, resource: string): readonly string[] | undefined {
    const entry = this.of(podUid, container).get(resource);
    return entry && idsOf(entry);
  }

  /** Ids of all devices of a resource that are in use. */
  inUse(resource: string): ReadonlySet<string> {
    return new Set(this.entries().flatMap((entry) => (entry.resource === resource ? idsOf(entry) : [])));
  }
}

/** Ids of the devices of an entry; a device of several nodes is in it once for each. */
export const idsOf = ({ devices }: DeviceEntry): readonly string[] => [...new Set(Object.values(devices).flat())];

/** Groups ids by the NUMA nodes of their devices. */
export function idsByNode(
  ids: readonly string[],
  nodesOf: (id: string) => readonly number[],
): Readonly<Record<string, readonly string[]>> {
  const groups: Record<string, string[]> = {};
  for (const id of ids) {
    const nodes = nodesOf(id).map(String);
    for (const node of nodes.length === 0 ? [nodeless] : nodes) {
      const group = groups[node] ?? [];
      group.push(id);
      groups[node] = group;
    }
  }
  return groups;
}

/** The plugin's answer of an entry. @throws Error if it is damaged */
export const responseOf = ({ response }: DeviceEntry): ContainerAllocateResponse =>
  ContainerAllocateResponse.decode(response);
