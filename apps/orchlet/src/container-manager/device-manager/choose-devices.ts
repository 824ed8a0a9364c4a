import { hasNode, type NumaMask } from "../topology/numa-mask.ts";
import type { Device } from "./device-inventory.ts";

/** Free devices, by their relation to the chosen NUMA nodes. */
export interface FreeDevices {
  /** On the chosen nodes. */
  readonly aligned: readonly string[];
  /** On other nodes. */
  readonly unaligned: readonly string[];
  /** Devices without a NUMA node, or all of them if no nodes were chosen. */
  readonly anywhere: readonly string[];
}

/**
 * Divides free devices. Devices of the node with the fewest free ones come first, so that large groups stay available. Pure.
 *
 * @param nodes undefined if no nodes were chosen
 */
export function divideDevices(free: readonly Device[], nodes: NumaMask | undefined): FreeDevices {
  const ids = free.map(({ id }) => id);
  if (nodes === undefined || free.every((device) => device.nodes.length === 0))
    return { aligned: [], unaligned: [], anywhere: ids };
  const onNode = new Map<number, number>();
  for (const device of free) for (const node of device.nodes) onNode.set(node, (onNode.get(node) ?? 0) + 1);
  const crowd = (device: Device) => Math.min(...device.nodes.map((node) => onNode.get(node) ?? 0));
  const sorted = free.filter((device) => device.nodes.length > 0).sort((a, b) => crowd(a) - crowd(b));
  const isAligned = (device: Device) => device.nodes.some((node) => hasNode(nodes, node));
  return {
    aligned: sorted.flatMap((device) => (isAligned(device) ? device.id : [])),
    unaligned: sorted.flatMap((device) => (isAligned(device) ? [] : device.id)),
    anywhere: free.flatMap((device) => (device.nodes.length === 0 ? device.id : [])),
  };
}

/** Asks a plugin which of the available devices it would choose; those in `include` are chosen already. Never rejects. */
export type PreferDevices = (available: readonly string[], include: readonly string[]) => Promise<readonly string[]>;

/**
 * Chooses devices: those that the pod's init containers had, then those on the chosen nodes, then others; where there is a choice, the
 * plugin's preference counts.
 *
 * @param wanted how many; at least one
 * @throws Error if there are not enough
 */
export async function chooseDevices(
  resource: string,
  wanted: number,
  { reusable, free }: { readonly reusable: readonly string[]; readonly free: FreeDevices },
  prefer: PreferDevices,
): Promise<readonly string[]> {
  const chosen = new Set<string>();
  const take = (ids: Iterable<string>): boolean => {
    for (const id of ids) if (chosen.size < wanted) chosen.add(id);
    return chosen.size === wanted;
  };
  if (take(reusable)) return [...chosen];
  const { aligned, unaligned, anywhere } = free;
  const all = [...aligned, ...unaligned, ...anywhere];
  const missing = wanted - chosen.size;
  if (all.length < missing)
    throw new Error(
      `requested number of devices unavailable for ${resource}. Requested: ${missing}, Available: ${all.length}`,
    );
  const preferredOf = async (some: readonly string[]): Promise<readonly string[]> => {
    const include = [...chosen];
    const preferred = await prefer([...new Set([...some, ...include])], include);
    const allowed = new Set(some);
    return preferred.filter((id) => allowed.has(id));
  };
  if (missing < aligned.length) {
    if (take(await preferredOf(aligned)) || take(aligned)) return [...chosen];
  } else if (take(aligned)) return [...chosen];
  take(await preferredOf(all));
  take(unaligned);
  take(anywhere);
  return [...chosen];
}
