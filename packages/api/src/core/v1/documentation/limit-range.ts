import type { TypeDocumentation } from "@orchernetes/apimachinery";
import { listMetadata, objectMetadata } from "./phrases.ts";

/** Texts of the types in `types/limit-range.ts`. */
export const documentation: TypeDocumentation = {
  LimitRange: {
    "": "Bounds and defaults for what single pods, containers and claims of a namespace may ask for. Checked when they are created or changed, not for those that exist.",
    metadata: objectMetadata,
    spec: "The bounds and defaults.",
  },
  LimitRangeSpec: {
    "": "The rules of a limit range.",
    limits: "The rules, each for one type of thing.",
  },
  LimitRangeItem: {
    "": "Bounds and defaults for one type of thing, by resource name such as cpu, memory or storage.",
    type: "What the rule is about: Container (each one by itself), Pod (the sum over its containers) or PersistentVolumeClaim.",
    max: "Most that may be used; limits above it, or missing, are refused. For claims it bounds the storage asked for.",
    min: "Least that must be asked for; requests below it, or missing, are refused.",
    default:
      "Limit given to containers that state none. Only for Container. Equals max for resources where it is not set.",
    defaultRequest:
      "Request given to containers that state none. Only for Container. Equals default where it is not set, or else min.",
    maxLimitRequestRatio:
      "How many times its request a limit may be at most. Both must be given, and not zero, for the resources named here.",
  },
  LimitRangeList: {
    "": "A list of limit ranges.",
    metadata: listMetadata,
    items: "The limit ranges.",
  },
};
