import { countNodes, hasNode, masksOf, type NumaMask } from "../topology/numa-mask.ts";
import type { TopologyHint } from "../topology-manager/hint.ts";
import type { Device } from "./device-inventory.ts";

/**
 * The NUMA nodes on which a number of devices could be allocated. Pure.
 *
 * @param numaNodes nodes of the machine
 * @param devices all devices of the resource, by id
 * @param free ids of those that can be allocated
 * @param reusable ids of those that the pod has already, which must be used
 */
export function deviceHints(
  numaNodes: readonly number[],
  devices: ReadonlyMap<string, Device>,
  wanted: number,
  { free, reusable }: { readonly free: readonly string[]; readonly reusable: readonly string[] },
): readonly TopologyHint[] {
  const placed = (ids: readonly string[]): readonly Device[] =>
    ids.flatMap((id) => {
      const device = devices.get(id);
      return device === undefined || device.nodes.length === 0 ? [] : device;
    });
  const isOn = (device: Device, mask: NumaMask) => device.nodes.some((node) => hasNode(mask, node));
  const [reused, usable] = [placed(reusable), placed([...new Set([...reusable, ...free])])];
  const all = [...devices.values()];
  const masks = masksOf(numaNodes);
  const fewest = Math.min(
    numaNodes.length,
    ...masks.filter((mask) => all.filter((device) => isOn(device, mask)).length >= wanted).map(countNodes),
  );
  return masks
    .filter(
      (mask) =>
        reused.every((device) => isOn(device, mask)) && usable.filter((device) => isOn(device, mask)).length >= wanted,
    )
    .map((nodes) => ({ nodes, preferred: countNodes(nodes) === fewest }));
}
