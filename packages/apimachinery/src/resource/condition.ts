import { type Infer, int64, message, openEnumeration, optional, required, string, time } from "../schema/index.ts";

/** One observed aspect of an object's state, keyed by `type`. */
export const Condition = message("meta/v1", "Condition", () => ({
  type: required(1, string),
  status: required(2, openEnumeration("True", "False", "Unknown")),
  observedGeneration: optional(3, int64),
  lastTransitionTime: required(4, time),
  reason: required(5, string),
  message: required(6, string),
}));
export interface Condition extends Infer<typeof Condition> {}
