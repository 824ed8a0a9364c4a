import { type Draft, defineResource } from "@orchernetes/apimachinery";
import { createdAt, name } from "../../shared/columns.ts";
import { allVerbs } from "../../shared/verbs.ts";
import { LimitRange } from "./types/limit-range.ts";
import { validateLimitRange } from "./validation/limit-range.ts";

type Amounts = Record<string, string>;

/** For containers, what is not said follows: limits from the maximum, requests from the limit, else from the minimum. */
function applyDefaults({ spec }: Draft<LimitRange>): void {
  for (const item of spec?.limits ?? []) {
    if (item.type !== "Container") {
      continue;
    }
    const limits: Amounts = { ...item.max, ...item.default };
    item.default = limits;
    item.defaultRequest = { ...item.min, ...limits, ...item.defaultRequest };
  }
}

/** `v1` limit ranges. */
export const limitRanges = defineResource<LimitRange>({
  group: "",
  version: "v1",
  kind: "LimitRange",
  plural: "limitranges",
  singular: "limitrange",
  shortNames: ["limits"],
  scope: "Namespaced",
  verbs: allVerbs,
  schema: LimitRange,
  storagePrefix: "/registry/limitranges",
  applyDefaults,
  strategy: {
    validate: validateLimitRange,
    validateUpdate: validateLimitRange,
    allowCreateOnUpdate: true,
  },
  columns: [name(), createdAt()],
});
