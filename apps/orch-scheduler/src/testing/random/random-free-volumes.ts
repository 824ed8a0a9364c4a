import { bindCompleted, type Claim, type Volume } from "@orchernetes/component-helpers";
import { claim, volume } from "@orchernetes/testkit";
import type { Choices } from "./choices.ts";
import { HOSTNAME, NAMESPACES, ZONE } from "./random-pod.ts";

const WAITING = ["wait", "static"] as const;

/** Claims that wait for their first consumer, most of them: in other clusters few of them can be bound at all. */
export function randomFreeClaims(c: Choices): Claim[] {
  return NAMESPACES.flatMap((namespace) =>
    Array.from({ length: 9 }, (_, i): Claim => {
      const name = `c${i}`;
      const isBound = c.chance(0.1);
      const one = claim(name, {
        size: c.pick("1Gi", "2Gi", "3Gi", "5Gi"),
        className: c.pick(...WAITING),
        modes: ["ReadWriteOnce"],
        status: { phase: isBound ? "Bound" : "Pending" },
        ...(isBound && { volumeName: `pv${c.below(9)}`, annotations: { [bindCompleted]: "yes" } }),
      });
      return { ...one, metadata: { ...one.metadata, namespace, uid: `uid-${namespace}-${name}` } };
    }),
  );
}

/** Volumes that are available, each on some of the nodes. */
export function randomFreeVolumes(c: Choices): Volume[] {
  return c.many(6, 10, (i): Volume => {
    const expression = c.pick(
      { key: HOSTNAME, operator: "In" as const, values: [`node-${c.below(6)}`, `node-${c.below(6)}`] },
      { key: ZONE, operator: "In" as const, values: [c.pick("z1", "z2", "z3")] },
      { key: ZONE, operator: "NotIn" as const, values: [c.pick("z1", "z2", "z3")] },
    );
    return volume(`pv${i}`, {
      size: c.pick("2Gi", "4Gi", "7Gi", "10Gi", "20Gi"),
      className: c.pick(...WAITING),
      modes: ["ReadWriteOnce"],
      phase: c.pick("Available", "Available", "Available", "Bound"),
      source: {
        hostPath: { path: "/x" },
        ...c.maybe(0.8, () => ({
          nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [expression] }] } },
        })),
      },
    });
  });
}
