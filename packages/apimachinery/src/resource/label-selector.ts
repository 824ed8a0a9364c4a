import { type Infer, list, mapOf, message, openEnumeration, optional, required, string } from "../schema/index.ts";

const pkg = "meta/v1";

/**
 * One requirement of a {@link LabelSelector}. `In` and `NotIn` need values; `Exists` and `DoesNotExist` must have
 * none.
 */
export const LabelSelectorRequirement = message(pkg, "LabelSelectorRequirement", () => ({
  key: required(1, string, { patch: "merge", mergeKey: "key" }),
  operator: required(2, openEnumeration("In", "NotIn", "Exists", "DoesNotExist")),
  values: optional(3, list(string), { list: "atomic" }),
}));
export interface LabelSelectorRequirement extends Infer<typeof LabelSelectorRequirement> {}

/** A query over labels: all of `matchLabels` and all of `matchExpressions` must hold. Empty selects everything, absent nothing. */
export const LabelSelector = message(
  pkg,
  "LabelSelector",
  () => ({
    matchLabels: optional(1, mapOf(string)),
    matchExpressions: optional(2, list(LabelSelectorRequirement), { list: "atomic" }),
  }),
  { atomic: true },
);
export interface LabelSelector extends Infer<typeof LabelSelector> {}
