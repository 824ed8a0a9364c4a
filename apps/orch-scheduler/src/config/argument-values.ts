import { isQualifiedName } from "@orchernetes/apimachinery";
import { values } from "@orchernetes/config";
import { z } from "zod";

const { int32 } = values;

/** Reports what is wrong with a label key or the name of a resource, for `superRefine`. */
export function requireQualifiedName(name: string, context: z.RefinementCtx): void {
  for (const message of isQualifiedName(name)) context.addIssue({ code: "custom", message });
}

const within = (min: number, max: number) =>
  int32().refine((value) => value >= min && value <= max, `not in valid range [${min}, ${max}]`);

/** The weight of a resource; 0 is 1, as in the original. */
export const resourceWeight = () =>
  values
    .int64()
    .transform((weight) => (weight === 0 ? 1 : weight))
    .default(1);

/** A function of the utilization, in per cent, to a score from 0 to 10: points, between which it is linear. */
export const functionShape = z
  .array(z.strictObject({ utilization: within(0, 100), score: within(0, 10) }))
  .superRefine((points, context) => {
    if (points.length === 0) context.addIssue({ code: "custom", message: "at least one point must be specified" });
    const at = points.findIndex(({ utilization }, i) => i > 0 && (points[i - 1]?.utilization ?? 0) >= utilization);
    if (at > 0)
      context.addIssue({
        code: "custom",
        path: [at, "utilization"],
        message: "utilization values must be sorted in increasing order",
      });
  });
