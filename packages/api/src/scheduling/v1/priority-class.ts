import {
  bool,
  type Draft,
  defineResource,
  enumeration,
  type FieldError,
  field,
  type Infer,
  int32,
  ListMeta,
  list,
  ObjectMeta,
  object,
  optional,
  pointer,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";
import { age, booleanColumn, column, name } from "../../shared/columns.ts";
import { allVerbs } from "../../shared/definitions.ts";

const pkg = "scheduling/v1";

/**
 * A name for a priority of pods. Admission copies the number into the pods that refer to it.
 *
 * `value` is immutable, so that a pod and its class cannot disagree. `preemptionPolicy` defaults to `PreemptLowerPriority`
 * (KEP-902).
 */
export const PriorityClass = object(pkg, "PriorityClass", () => ({
  metadata: value(1, ObjectMeta),
  value: required(2, int32),
  globalDefault: optional(3, bool),
  description: optional(4, string),
  preemptionPolicy: pointer(5, enumeration("PreemptLowerPriority", "Never")),
}));
export interface PriorityClass extends Infer<typeof PriorityClass> {}

export const PriorityClassList = object(pkg, "PriorityClassList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(PriorityClass)),
}));
export interface PriorityClassList extends Infer<typeof PriorityClassList> {}

/**
 * Largest value for users. Greater ones are reserved for the system's own classes, so that no user's pod can preempt
 * system components.
 */
const highestUserDefinablePriority = 1_000_000_000;

const systemPrefix = "system-";

/** Classes that the system creates, with their only valid values. */
export const systemPriorityClasses: Readonly<Record<string, { readonly value: number; readonly description: string }>> =
  Object.freeze({
    "system-node-critical": {
      value: 2_000_001_000,
      description: "Used for system critical pods that must not be moved from their current node.",
    },
    "system-cluster-critical": {
      value: 2_000_000_000,
      description:
        "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
    },
  });

const preemptionPolicies = ["PreemptLowerPriority", "Never"];

function validatePriorityClass(priorityClass: PriorityClass): FieldError[] {
  const errors: FieldError[] = [];
  const className = priorityClass.metadata.name ?? "";
  if (className.startsWith(systemPrefix)) {
    const message = systemClassError(priorityClass, className);
    if (message !== undefined) {
      const rule = "priority class names with 'system-' prefix are reserved for system use only";
      errors.push(field.forbidden(field("metadata").child("name"), `${rule}. error: ${message}`));
    }
  } else if (priorityClass.value > highestUserDefinablePriority) {
    const detail = `maximum allowed value of a user defined priority is ${highestUserDefinablePriority}`;
    errors.push(field.forbidden("value", detail));
  }
  const policy = priorityClass.preemptionPolicy;
  if (policy !== undefined && !preemptionPolicies.includes(policy)) {
    errors.push(field.notSupported("preemptionPolicy", policy, preemptionPolicies));
  }
  return errors;
}

function systemClassError({ value, globalDefault }: PriorityClass, className: string): string | undefined {
  const known = Object.hasOwn(systemPriorityClasses, className) ? systemPriorityClasses[className] : undefined;
  if (known === undefined) {
    return `${className} is not a known system priority class`;
  }
  if (value !== known.value) {
    return `value of ${className} PriorityClass must be ${known.value}`;
  }
  return globalDefault === true ? `globalDefault of ${className} PriorityClass must be false` : undefined;
}

/** The value is immutable: pods have a copy of it. */
function validatePriorityClassUpdate(priorityClass: PriorityClass, old: PriorityClass): FieldError[] {
  const errors: FieldError[] = [];
  if (priorityClass.value !== old.value) {
    // The path of Kubernetes 1.27, with a capital letter.
    errors.push(field.forbidden("Value", "may not be changed in an update."));
  }
  const policy = priorityClass.preemptionPolicy;
  if (policy !== old.preemptionPolicy) {
    errors.push(field.invalid("preemptionPolicy", policy, "field is immutable"));
  }
  return errors;
}

/** Sets the defaults of a PriorityClass: its pods may preempt. */
function defaultPriorityClass(priorityClass: Draft<PriorityClass>): void {
  priorityClass.preemptionPolicy ??= "PreemptLowerPriority";
}

/** `scheduling.o8s.io/v1` priority classes: names of pod priorities. */
export const priorityClasses = defineResource<PriorityClass>({
  group: "scheduling.o8s.io",
  version: "v1",
  kind: "PriorityClass",
  plural: "priorityclasses",
  singular: "priorityclass",
  shortNames: ["pc"],
  scope: "Cluster",
  verbs: allVerbs,
  schema: PriorityClass,
  storagePrefix: "/registry/priorityclasses",
  applyDefaults: defaultPriorityClass,
  strategy: {
    validate: validatePriorityClass,
    validateUpdate: validatePriorityClassUpdate,
    // Nothing that counts can change, so the first generation is the only one.
    generation: () => null,
  },
  columns: [
    name(),
    column("Value", "integer", "Priority that pods of the class get.", ({ value }) => value),
    booleanColumn(
      "Global-Default",
      "Whether pods that name no class get this one.",
      ({ globalDefault }) => globalDefault ?? false,
    ),
    age(),
  ],
});
