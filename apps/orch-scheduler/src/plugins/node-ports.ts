import { hostPortsConflict } from "../cache/host-ports.ts";
import {
  ClusterEvent,
  evictable,
  type FilterPlugin,
  neverOutdated,
  type PreFilterPlugin,
} from "../framework/interfaces.ts";
import { portsHint } from "./node-hints.ts";

const reasons = [evictable("node(s) didn't have free ports for the requested pod ports")];

/** Filter NodePorts: a host port can be used by one pod per address and protocol. */
export const nodePorts: PreFilterPlugin & FilterPlugin = {
  name: "NodePorts",
  events: ClusterEvent.NodeAdded | ClusterEvent.PodDeleted,
  hint: portsHint,
  outdatedBy: neverOutdated,
  preFilter: ({ hostPorts }) => (hostPorts.length === 0 ? "skip" : undefined),
  filter({ hostPorts }, nodes) {
    if (hostPorts.length === 0) return undefined;
    return {
      reasons,
      check: (slot) => (nodes.hasPortConflict(slot, hostPorts) ? 1 : 0),
      podChanged: "unaffected",
      readsAmountsOnly: true,
      shortfalls: (slot) =>
        nodes.podsOn(nodes.nameOf(slot)).flatMap(({ key, hostPorts: taken }) =>
          hostPorts
            .filter((port) => taken.some((other) => hostPortsConflict(port, other)))
            .map(({ ip, port, protocol }) => ({
              what: `host port ${ip}:${port}/${protocol}`,
              needed: "free",
              available: `used by pod ${key}`,
            })),
        ),
    };
  },
};
