import {
  type Draft,
  defineResource,
  enumeration,
  type FieldError,
  type FieldPath,
  field,
  type Infer,
  isQualifiedName,
  ListMeta,
  list,
  mapOf,
  message,
  ObjectMeta,
  object,
  optional,
  quantity,
  quantityOf,
  required,
  value,
} from "@orchernetes/apimachinery";
import { createdAt, name } from "../../shared/columns.ts";
import { allVerbs } from "../../shared/definitions.ts";
import { validateResourceName } from "../../shared/resource-lists.ts";
import { isOvercommitAllowed } from "../../shared/resource-names.ts";
import { validateContainerResourceName } from "./validation/container-resources.ts";

const pkg = "core/v1";

/** Limits and defaults for one type of thing, by resource name such as cpu, memory or storage. */
export const LimitRangeItem = message(pkg, "LimitRangeItem", () => ({
  type: required(1, enumeration("Pod", "Container", "PersistentVolumeClaim")),
  max: optional(2, mapOf(quantity)),
  min: optional(3, mapOf(quantity)),
  default: optional(4, mapOf(quantity)),
  defaultRequest: optional(5, mapOf(quantity)),
  maxLimitRequestRatio: optional(6, mapOf(quantity)),
}));
export interface LimitRangeItem extends Infer<typeof LimitRangeItem> {}

/** The rules of a limit range. */
export const LimitRangeSpec = message(pkg, "LimitRangeSpec", () => ({
  limits: required(1, list(LimitRangeItem)),
}));
export interface LimitRangeSpec extends Infer<typeof LimitRangeSpec> {}

/**
 * Bounds and default values for the resources of each pod, container or claim of a namespace. It applies to objects that are
 * created or changed later.
 */
export const LimitRange = object(pkg, "LimitRange", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, LimitRangeSpec),
}));
export interface LimitRange extends Infer<typeof LimitRange> {}

export const LimitRangeList = object(pkg, "LimitRangeList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(LimitRange)),
}));
export interface LimitRangeList extends Infer<typeof LimitRangeList> {}

const types: readonly string[] = ["Pod", "Container", "PersistentVolumeClaim"];
const lists = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const;
type ListName = (typeof lists)[number];

/** Validates a limit range: one item per type, and bounds, defaults and ratios that are consistent with each other. */
export function validateLimitRange({ spec }: LimitRange): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [i, item] of (spec.limits ?? []).entries()) {
    const path = field("spec", "limits").index(i);
    const type: string = item.type ?? "";
    const names = isQualifiedName(type).map((message) => field.invalid(path.child("type"), type, message));
    errors.push(...names);
    if (names.length === 0 && !type.includes("/") && !types.includes(type)) {
      errors.push(field.invalid(path.child("type"), type, "must be a standard limit type or fully qualified"));
    }
    if (seen.has(type)) {
      errors.push(field.duplicate(path.child("type"), type));
    }
    seen.add(type);
    validateNames(item, path, errors);
    for (const resource of new Set(lists.flatMap((list) => Object.keys(item[list] ?? {})))) {
      validateAmounts(item, resource, path, errors);
    }
  }
  return errors;
}

/** Names of resources must be valid for the item's type. Pods have no defaults: these apply to containers. */
function validateNames(item: LimitRangeItem, path: FieldPath, errors: FieldError[]): void {
  const check = item.type === "Pod" || item.type === "Container" ? validateContainerResourceName : validateResourceName;
  for (const list of lists) {
    const names = Object.keys(item[list] ?? {});
    if (item.type === "Pod" && (list === "default" || list === "defaultRequest")) {
      if (names.length > 0) {
        errors.push(field.forbidden(path.child(list), "may not be specified when `type` is 'Pod'"));
      }
      continue;
    }
    errors.push(...names.flatMap((name) => check(name, path.child(list).key(name))));
  }
  if (item.type === "PersistentVolumeClaim" && item.min?.storage === undefined && item.max?.storage === undefined) {
    const detail = "either minimum or maximum storage value is required, but neither was provided";
    errors.push(field.required(path.child("limits"), detail));
  }
}

/** Pairs of lists of which the first must not exceed the second, and the list and value that the error names. */
const orders: readonly (readonly [ListName, ListName, ListName, ListName, string, string])[] = [
  ["min", "max", "min", "min", "min value", "max value"],
  ["min", "defaultRequest", "defaultRequest", "defaultRequest", "min value", "default request value"],
  ["defaultRequest", "max", "defaultRequest", "defaultRequest", "default request value", "max value"],
  ["defaultRequest", "default", "defaultRequest", "defaultRequest", "default request value", "default limit value"],
  ["min", "default", "default", "min", "min value", "default value"],
  ["default", "max", "default", "max", "default value", "max value"],
];

/** The quantity of a resource. Own properties only: a resource may be named `constructor`. */
function amountOf(amounts: Readonly<Record<string, string>> | undefined, resource: string): string | undefined {
  return amounts !== undefined && Object.hasOwn(amounts, resource) ? amounts[resource] : undefined;
}

function validateAmounts(item: LimitRangeItem, resource: string, path: FieldPath, errors: FieldError[]): void {
  const amount = (list: ListName): string | undefined => amountOf(item[list], resource);
  for (const [low, high, list, shown, lowName, highName] of orders) {
    const a = amount(low);
    const b = amount(high);
    if (a !== undefined && b !== undefined && quantityOf(a).cmp(quantityOf(b)) > 0) {
      const detail = `${lowName} ${a} is greater than ${highName} ${b}`;
      errors.push(field.invalid(path.child(list).key(resource), amount(shown), detail));
    }
  }
  validateRatio(item, resource, path.child("maxLimitRequestRatio").key(resource), errors);
  const limit = amount("default");
  const request = amount("defaultRequest");
  if (limit !== undefined && request !== undefined && !isOvercommitAllowed(resource)) {
    if (quantityOf(limit).cmp(quantityOf(request)) !== 0) {
      const detail = `default value ${limit} must equal to defaultRequest value ${request} in ${resource}`;
      errors.push(field.invalid(path.child("defaultRequest").key(resource), request, detail));
    }
  }
}

/** The ratio of limit to request must be at least 1 and achievable within min and max. */
function validateRatio(item: LimitRangeItem, resource: string, path: FieldPath, errors: FieldError[]): void {
  const ratio = amountOf(item.maxLimitRequestRatio, resource);
  if (ratio === undefined) {
    return;
  }
  const value = quantityOf(ratio).toNumber();
  if (value < 1) {
    errors.push(field.invalid(path, ratio, `ratio ${ratio} is less than 1`));
  }
  const min = amountOf(item.min, resource);
  const max = amountOf(item.max, resource);
  if (min !== undefined && max !== undefined && !quantityOf(min).isZero) {
    const widest = quantityOf(max).toNumber() / quantityOf(min).toNumber();
    if (value > widest) {
      errors.push(field.invalid(path, ratio, `ratio ${ratio} is greater than max/min = ${widest.toFixed(6)}`));
    }
  }
}

type Amounts = Record<string, string>;

/**
 * Completes the defaults of containers: limits from the maximum, requests from the limit, otherwise from the minimum.
 */
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
