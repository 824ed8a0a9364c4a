import { core, storage } from "@orchernetes/api";
import { equalJson, isAlreadyExists, isConflict, isNotFound } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import { migratedPlugins } from "@orchernetes/component-helpers";
import type { NodeGetInfoResponse } from "@orchernetes/csi";

/** On a Node: the names by which CSI drivers know it, as JSON. */
const nodeIdAnnotation = "csi.volume.orchernetes.io/nodeid";
/** On a CSINode: the in-tree plugins whose volumes this agent mounts by their CSI drivers (KEP-625), which the scheduler reads. */
const migratedAnnotation = "storage.alpha.orchernetes.io/migrated-plugins";
const migrated = Object.values(migratedPlugins)
  .map(({ plugin }) => plugin)
  .sort()
  .join(",");
const attempts = 10;
const maxNodeId = 256;
const maxCount = 2 ** 31 - 1;

/** Writes which drivers this node has: in its CSINode, and in annotations and labels of its Node. */
export interface CsiNodeWriter {
  /** @throws ApiError; Error if what the driver says is invalid, or contradicts a label of the node */
  add(driver: string, info: NodeGetInfoResponse, signal: AbortSignal): Promise<void>;
  remove(driver: string): Promise<void>;
}

/** Creates the writer. Its methods wait until the node is registered. */
export function createCsiNodeWriter(options: {
  readonly client: Client;
  readonly nodeName: string;
  /** Resolves when the Node object exists. */
  readonly registered: Promise<void>;
}): CsiNodeWriter {
  const { client, nodeName, registered } = options;
  const csiNodes = client.resource(storage.csiNodes);
  const nodes = client.resource(core.nodes);

  /** Writes the drivers of the CSINode. The entry of a driver cannot be changed, only removed and added. */
  const writeDrivers = async (
    change: (drivers: readonly storage.CSINodeDriver[]) => readonly storage.CSINodeDriver[] | undefined,
  ): Promise<void> => {
    for (let attempt = 1; ; attempt++) {
      try {
        const found = await csiNodes.get(nodeName).catch((error: unknown) => {
          if (isNotFound(error)) return undefined;
          throw error;
        });
        const drivers = change(found?.spec.drivers ?? []);
        if (drivers === undefined) return;
        if (found !== undefined) {
          await csiNodes.update({ ...found, spec: { ...found.spec, drivers: [...drivers] } });
          return;
        }
        const { uid } = (await nodes.get(nodeName)).metadata;
        const ownerReferences = [{ apiVersion: "v1", kind: "Node", name: nodeName, uid }];
        await csiNodes.create({
          apiVersion: "storage.o8s.io/v1",
          kind: "CSINode",
          metadata: { name: nodeName, ownerReferences, annotations: { [migratedAnnotation]: migrated } },
          spec: { drivers: [...drivers] },
        });
        return;
      } catch (error) {
        if ((!isConflict(error) && !isAlreadyExists(error)) || attempt >= attempts) throw error;
      }
    }
  };

  /** Annotation and labels: others may change the node at the same time, so that only differences are written. */
  const writeNode = async (driver: string, info: NodeGetInfoResponse | undefined): Promise<void> => {
    const { metadata } = await nodes.get(nodeName);
    const segments = info?.accessibleTopology?.segments ?? {};
    // A key such as "constructor" is not a label of every object.
    const known = new Map(Object.entries(metadata.labels ?? {}));
    for (const [key, value] of Object.entries(segments)) {
      const label = known.get(key);
      if (label !== undefined && label !== value)
        throw new Error(
          `detected topology value collision: driver reported "${key}":"${value}" but existing label is "${key}":"${label}"`,
        );
    }
    const before = readIds(metadata.annotations?.[nodeIdAnnotation]);
    const after = Object.fromEntries(Object.entries(before).filter(([name]) => name !== driver));
    if (info !== undefined) after[driver] = info.nodeId;
    const labels = Object.fromEntries(Object.entries(segments).filter(([key]) => !known.has(key)));
    if (equalJson(before, after) && Object.keys(labels).length === 0) return;
    const text = Object.keys(after).length === 0 ? null : JSON.stringify(after);
    const patch = { metadata: { annotations: { [nodeIdAnnotation]: text }, labels } };
    await nodes.patch(nodeName, patch, { type: "merge" });
  };

  let last: Promise<unknown> = Promise.resolve();
  /** Two drivers that register at once must not overwrite each other's part of the annotation. */
  const inTurn = (job: () => Promise<void>): Promise<void> => {
    const current = last
      .catch(() => undefined)
      .then(() => registered)
      .then(job);
    last = current;
    return current;
  };

  return {
    add: (driver, info) =>
      inTurn(async () => {
        const entry = entryOf(driver, info);
        await writeNode(driver, info);
        const isOther = (drivers: readonly storage.CSINodeDriver[]) =>
          drivers.some((one) => one.name === driver && !equalJson(one, entry));
        await writeDrivers((drivers) => (isOther(drivers) ? without(drivers, driver) : undefined));
        await writeDrivers((drivers) =>
          drivers.some(({ name }) => name === driver) ? undefined : [...drivers, entry],
        );
      }),
    remove: (driver) =>
      inTurn(async () => {
        await writeDrivers((drivers) =>
          drivers.some(({ name }) => name === driver) ? without(drivers, driver) : undefined,
        );
        await writeNode(driver, undefined);
      }),
  };
}

const without = (drivers: readonly storage.CSINodeDriver[], name: string) =>
  drivers.filter((driver) => driver.name !== name);

/** The driver's entry of the CSINode. @throws Error for an invalid id */
function entryOf(name: string, { nodeId, maxVolumesPerNode, accessibleTopology }: NodeGetInfoResponse) {
  if (nodeId === "" || nodeId.length > maxNodeId)
    throw new Error(
      `CSI driver ${name} has node id ${JSON.stringify(nodeId.slice(0, maxNodeId))}; want 1 to ${maxNodeId} characters`,
    );
  // As in the original, a number that is negative or too large for the field is no limit.
  const count = maxVolumesPerNode > 0 && maxVolumesPerNode <= maxCount ? maxVolumesPerNode : undefined;
  const topologyKeys = Object.keys(accessibleTopology?.segments ?? {}).sort();
  return {
    name,
    nodeID: nodeId,
    ...(topologyKeys.length > 0 && { topologyKeys }),
    ...(count !== undefined && { allocatable: { count } }),
  };
}

/** The ids of the annotation; none if it is not what this agent writes. */
function readIds(text: string | undefined): Readonly<Record<string, string>> {
  try {
    const ids: unknown = JSON.parse(text ?? "{}");
    if (typeof ids !== "object" || ids === null) return {};
    return Object.fromEntries(Object.entries(ids).filter(([, id]) => typeof id === "string"));
  } catch {
    return {};
  }
}
