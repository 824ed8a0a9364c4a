import { values } from "@orchernetes/config";
import { z } from "zod";

const { int32, int64 } = values;

/** The optional apiVersion and kind of arguments. */
const head = <const Kind extends string>(kind: Kind) => ({
  apiVersion: z.literal("orchscheduler.config.o8s.io/v1").optional(),
  kind: z.literal(kind).optional(),
});

/** Arguments of DefaultPreemption: how many candidate nodes are examined. */
export const defaultPreemptionArgs = z.strictObject({
  ...head("DefaultPreemptionArgs"),
  minCandidateNodesPercentage: int32(0, 100).default(10),
  minCandidateNodesAbsolute: int32(0).default(100),
});

/** Weight of the required affinity of existing pods for the incoming pod. */
export const interPodAffinityArgs = z.strictObject({
  ...head("InterPodAffinityArgs"),
  hardPodAffinityWeight: int32(0, 100).default(1),
  ignorePreferredTermsOfExistingPods: z.boolean().default(false),
});

/** Default constraints, for pods without their own. */
export const podTopologySpreadArgs = z
  .strictObject({
    ...head("PodTopologySpreadArgs"),
    defaultConstraints: z
      .array(
        z.strictObject({
          maxSkew: int32(1),
          topologyKey: z.string().min(1),
          whenUnsatisfiable: z.enum(["DoNotSchedule", "ScheduleAnyway"]),
        }),
      )
      .default([]),
    defaultingType: z.enum(["System", "List"]).default("System"),
  })
  .refine(({ defaultConstraints, defaultingType }) => defaultingType === "List" || defaultConstraints.length === 0, {
    path: ["defaultConstraints"],
    message: 'want none unless defaultingType is "List"',
  });

/** Arguments of NodeResourcesFit: the resources and the strategy of its score. */
export const nodeResourcesFitArgs = z.strictObject({
  ...head("NodeResourcesFitArgs"),
  scoringStrategy: z
    .strictObject({
      type: z.enum(["LeastAllocated", "MostAllocated"]).default("LeastAllocated"),
      resources: z
        .array(z.strictObject({ name: z.string().min(1), weight: int32(1, 100).default(1) }))
        .min(1)
        .default([
          { name: "cpu", weight: 1 },
          { name: "memory", weight: 1 },
        ]),
    })
    .prefault({}),
});

/** Arguments of VolumeBinding: how long a pod waits for its volumes to be bound. */
export const volumeBindingArgs = z.strictObject({
  ...head("VolumeBindingArgs"),
  bindTimeoutSeconds: int64(0).default(600),
});

/** Arguments of a plugin, discriminated by its name. */
export const pluginArgs = z.discriminatedUnion("name", [
  z.strictObject({ name: z.literal("DefaultPreemption"), args: defaultPreemptionArgs.prefault({}) }),
  z.strictObject({ name: z.literal("InterPodAffinity"), args: interPodAffinityArgs.prefault({}) }),
  z.strictObject({ name: z.literal("NodeResourcesFit"), args: nodeResourcesFitArgs.prefault({}) }),
  z.strictObject({ name: z.literal("PodTopologySpread"), args: podTopologySpreadArgs.prefault({}) }),
  z.strictObject({ name: z.literal("VolumeBinding"), args: volumeBindingArgs.prefault({}) }),
]);

export type DefaultPreemptionArgs = z.output<typeof defaultPreemptionArgs>;
export type InterPodAffinityArgs = z.output<typeof interPodAffinityArgs>;
export type NodeResourcesFitArgs = z.output<typeof nodeResourcesFitArgs>;
export type PodTopologySpreadArgs = z.output<typeof podTopologySpreadArgs>;
export type VolumeBindingArgs = z.output<typeof volumeBindingArgs>;
