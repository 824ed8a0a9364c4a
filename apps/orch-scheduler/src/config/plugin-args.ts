import { values } from "@orchernetes/config";
import { z } from "zod";
import { addedAffinity } from "./added-affinity.ts";
import { functionShape, requireQualifiedName, resourceWeight } from "./argument-values.ts";
import { API_VERSIONS } from "./versions.ts";

const { int32, int64 } = values;

/** The optional apiVersion and kind of arguments. */
const head = <const Kind extends string>(kind: Kind) => ({
  apiVersion: z.enum(API_VERSIONS).optional(),
  kind: z.literal(kind).optional(),
});

const within = (min: number, max: number) =>
  int32().refine(
    (value) => value >= min && value <= max,
    `not in valid range [${min}, ${max === Number.POSITIVE_INFINITY ? "inf)" : `${max}]`}`,
  );

/** Arguments of DefaultPreemption: how many candidate nodes are examined. */
const defaultPreemptionArgs = z
  .strictObject({
    ...head("DefaultPreemptionArgs"),
    minCandidateNodesPercentage: within(0, 100).default(10),
    minCandidateNodesAbsolute: within(0, Number.POSITIVE_INFINITY).default(100),
  })
  .superRefine(({ minCandidateNodesPercentage, minCandidateNodesAbsolute }, context) => {
    if (minCandidateNodesPercentage !== 0 || minCandidateNodesAbsolute !== 0) return;
    const [a, b] = ["minCandidateNodesPercentage", "minCandidateNodesAbsolute"];
    for (const [field, other] of [
      [a, b],
      [b, a],
    ] as const)
      context.addIssue({ code: "custom", path: [field], message: `cannot be zero at the same time as ${other}` });
  });

/** Weight of the required affinity of existing pods for the incoming pod. */
const interPodAffinityArgs = z.strictObject({
  ...head("InterPodAffinityArgs"),
  hardPodAffinityWeight: within(0, 100).default(1),
  ignorePreferredTermsOfExistingPods: z.boolean().default(false),
});

/** Arguments of NodeAffinity: an affinity that all pods of the profile have in addition. */
const nodeAffinityArgs = z.strictObject({
  ...head("NodeAffinityArgs"),
  addedAffinity: addedAffinity.optional(),
});

const constraint = z.strictObject({
  maxSkew: int32().refine((value) => value > 0, "not in valid range (0, inf)"),
  topologyKey: z.string().superRefine((key, context) => {
    if (key === "") context.addIssue({ code: "custom", message: "can not be empty" });
    else requireQualifiedName(key, context);
  }),
  whenUnsatisfiable: z.enum(["DoNotSchedule", "ScheduleAnyway"]),
  labelSelector: z.undefined("constraint must not define a selector, as they deduced for each pod").optional(),
  minDomains: int32(1).optional(),
  nodeAffinityPolicy: z.enum(["Honor", "Ignore"]).optional(),
  nodeTaintsPolicy: z.enum(["Honor", "Ignore"]).optional(),
});

/** Default constraints, for pods without their own. */
const podTopologySpreadArgs = z
  .strictObject({
    ...head("PodTopologySpreadArgs"),
    defaultConstraints: z.array(constraint).default([]),
    defaultingType: z.enum(["System", "List"]).default("System"),
  })
  .superRefine(({ defaultConstraints, defaultingType }, context) => {
    if (defaultingType === "System" && defaultConstraints.length > 0)
      context.addIssue({ code: "custom", path: ["defaultingType"], message: "when .defaultConstraints are not empty" });
    const keys = defaultConstraints.map(
      ({ topologyKey, whenUnsatisfiable }) => `{${topologyKey}, ${whenUnsatisfiable}}`,
    );
    for (const [i, key] of keys.entries())
      if (keys.indexOf(key) < i)
        context.addIssue({ code: "custom", path: ["defaultConstraints", i], message: `duplicate value: ${key}` });
  });

/** A resource with its weight in a score. */
const resource = z
  .strictObject({ name: z.string().min(1), weight: resourceWeight() })
  .superRefine(({ name, weight }, context) => {
    if (weight > 0 && weight <= 100) return;
    const message = `resource weight of ${name} not in valid range (0, 100]`;
    context.addIssue({ code: "custom", path: ["weight"], message });
  });

const CPU_AND_MEMORY = [
  { name: "cpu", weight: 1 },
  { name: "memory", weight: 1 },
];

const scoringStrategy = z
  .strictObject({
    type: z.enum(["LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"]).default("LeastAllocated"),
    resources: z.array(resource).default(CPU_AND_MEMORY),
    requestedToCapacityRatio: z.strictObject({ shape: functionShape }).optional(),
  })
  .superRefine(({ type, requestedToCapacityRatio }, context) => {
    // The original accepts the shape with other strategies, where it has no effect; without it, this one has none.
    if (type !== "RequestedToCapacityRatio" || requestedToCapacityRatio !== undefined) return;
    const message = "must be specified when type is RequestedToCapacityRatio";
    context.addIssue({ code: "custom", path: ["requestedToCapacityRatio"], message });
  })
  // An empty list is the default, as in the original.
  .transform((strategy) => (strategy.resources.length > 0 ? strategy : { ...strategy, resources: CPU_AND_MEMORY }));

/** Arguments of NodeResourcesFit: the resources that it ignores, and the resources and the strategy of its score. */
const nodeResourcesFitArgs = z.strictObject({
  ...head("NodeResourcesFitArgs"),
  ignoredResources: z.array(z.string().superRefine(requireQualifiedName)).default([]),
  ignoredResourceGroups: z
    .array(
      z
        .string()
        .refine((group) => !group.includes("/"), "resource group name can't contain '/'")
        .superRefine(requireQualifiedName),
    )
    .default([]),
  scoringStrategy: scoringStrategy.prefault({}),
});

/** Arguments of NodeResourcesBalancedAllocation: the resources whose shares should be close to each other. */
const balancedAllocationArgs = z
  .strictObject({
    ...head("NodeResourcesBalancedAllocationArgs"),
    resources: z
      .array(
        z.strictObject({
          name: z.string().min(1),
          weight: resourceWeight().refine((weight): boolean => weight === 1, "must be 1"),
        }),
      )
      .default(CPU_AND_MEMORY)
      // An empty list is the default, as in the original.
      .transform((resources) => (resources.length > 0 ? resources : CPU_AND_MEMORY)),
  })
  .superRefine(({ resources }, context) => {
    const names = resources.map(({ name }) => name);
    for (const [i, name] of names.entries())
      if (names.indexOf(name) < i)
        context.addIssue({ code: "custom", path: ["resources", i, "name"], message: "duplicate value" });
  });

/**
 * Arguments of VolumeBinding: how long a pod waits for its volumes to be bound, and, with feature gate
 * VolumeCapacityPriority, how the use of volumes is scored.
 */
const volumeBindingArgs = z.strictObject({
  ...head("VolumeBindingArgs"),
  bindTimeoutSeconds: int64()
    .refine((value) => value >= 0, "invalid BindTimeoutSeconds, should not be a negative value")
    .default(600),
  shape: functionShape.optional(),
});

/** Arguments by the plugin that takes them. */
export const ARGUMENTS = {
  DefaultPreemption: defaultPreemptionArgs,
  InterPodAffinity: interPodAffinityArgs,
  NodeAffinity: nodeAffinityArgs,
  NodeResourcesBalancedAllocation: balancedAllocationArgs,
  NodeResourcesFit: nodeResourcesFitArgs,
  PodTopologySpread: podTopologySpreadArgs,
  VolumeBinding: volumeBindingArgs,
} as const;

/** The checked arguments of each plugin that takes some. */
export type Arguments = { readonly [N in keyof typeof ARGUMENTS]: z.output<(typeof ARGUMENTS)[N]> };
