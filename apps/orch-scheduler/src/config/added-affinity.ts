import { values } from "@orchernetes/config";
import { z } from "zod";
import { requireQualifiedName } from "./argument-values.ts";

const { int32 } = values;

const labelRequirement = z
  .strictObject({
    key: z.string().superRefine(requireQualifiedName),
    operator: z.enum(["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]),
    values: z.array(z.string()).optional(),
  })
  .superRefine(({ operator, values: given = [] }, context) => {
    const message = labelProblem(operator, given);
    if (message !== undefined) context.addIssue({ code: "custom", path: ["values"], message });
  });

/** What is wrong with the number or the form of the values of an operator. The messages are the original's. */
function labelProblem(operator: string, given: readonly string[]): string | undefined {
  switch (operator) {
    case "In":
    case "NotIn":
      return given.length > 0 ? undefined : "must be specified when `operator` is 'In' or 'NotIn'";
    case "Exists":
    case "DoesNotExist":
      return given.length === 0 ? undefined : "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    default:
      return given.length === 1 && /^[+-]?\d+$/.test(given[0] ?? "")
        ? undefined
        : "for 'Gt', 'Lt' operators, exactly one integer is required";
  }
}

const fieldRequirement = z.strictObject({
  key: z.literal("metadata.name"),
  operator: z.enum(["In", "NotIn"]),
  values: z.array(z.string().min(1)).length(1, "must have one element"),
});

const term = z.strictObject({
  matchExpressions: z.array(labelRequirement).optional(),
  matchFields: z.array(fieldRequirement).optional(),
});

/** A node affinity, as in `spec.affinity.nodeAffinity` of pods. */
export const addedAffinity = z.strictObject({
  requiredDuringSchedulingIgnoredDuringExecution: z
    .strictObject({ nodeSelectorTerms: z.array(term).min(1, "must have at least one node selector term") })
    .optional(),
  preferredDuringSchedulingIgnoredDuringExecution: z
    .array(z.strictObject({ weight: int32(1, 100), preference: term }))
    .optional(),
});
