import {
  defineResource,
  type FieldError,
  type FieldPath,
  field,
  type Infer,
  isDns1123Label,
  ListMeta,
  list,
  mapOf,
  message,
  ObjectMeta,
  object,
  optional,
  pointer,
  quantity,
  required,
  string,
  validateLabels,
  value,
} from "@orchernetes/apimachinery";
import { nodeLabelsWarnings } from "../../core/v1/node-label-warnings.ts";
import { Toleration } from "../../core/v1/types/affinity.ts";
import { validateResourceRequirements } from "../../core/v1/validation/container-resources.ts";
import type { ValidationContext } from "../../core/v1/validation/context.ts";
import { validateTolerations } from "../../core/v1/validation/tolerations.ts";
import { age, column, name } from "../../shared/columns.ts";
import { allVerbs } from "../../shared/definitions.ts";
import { immutable, semanticKey } from "../../shared/immutable.ts";
import { repeatedItems } from "../../shared/repeated.ts";

const pkg = "node/v1";

/**
 * A container runtime configuration, such as one that runs pods in virtual machines. Pods refer to it by
 * `runtimeClassName`.
 *
 * `handler` is immutable: running pods were started with it. Source: KEP-585.
 */
export const RuntimeClass = object(pkg, "RuntimeClass", () => ({
  metadata: value(1, ObjectMeta),
  handler: required(2, string),
  overhead: pointer(3, Overhead),
  scheduling: pointer(4, Scheduling),
}));
export interface RuntimeClass extends Infer<typeof RuntimeClass> {}

/** Resources that a pod needs in addition to its containers. Admission copies them into the pod. Source: KEP-688. */
export const Overhead = message(pkg, "Overhead", () => ({
  podFixed: optional(1, mapOf(quantity)),
}));
export interface Overhead extends Infer<typeof Overhead> {}

/** Where pods of a RuntimeClass can run. */
export const Scheduling = message(pkg, "Scheduling", () => ({
  nodeSelector: optional(1, mapOf(string), { atomic: true }),
  tolerations: optional(2, list(Toleration)),
}));
export interface Scheduling extends Infer<typeof Scheduling> {}

export const RuntimeClassList = object(pkg, "RuntimeClassList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(RuntimeClass)),
}));
export interface RuntimeClassList extends Infer<typeof RuntimeClassList> {}

function validateRuntimeClass({ handler, overhead, scheduling }: RuntimeClass, ctx: ValidationContext): FieldError[] {
  return [
    ...isDns1123Label(handler).map((message) => field.invalid("handler", handler, message)),
    ...validateOverhead(overhead, ctx),
    ...(scheduling === undefined ? [] : validateScheduling(scheduling, field("scheduling"))),
  ];
}

function validateOverhead(overhead: Overhead | undefined, ctx: ValidationContext): FieldError[] {
  const errors: FieldError[] = [];
  const limits = overhead?.podFixed;
  const path = field("overhead", "podFixed");
  if (limits !== undefined) validateResourceRequirements({ limits }, new Set(), path, ctx, errors);
  return errors;
}

/** Validates what admission adds to pods: labels of nodes, and tolerations, each once. */
function validateScheduling({ nodeSelector, tolerations }: Scheduling, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [...validateLabels(nodeSelector, path.child("nodeSelector"))];
  const at = path.child("tolerations");
  validateTolerations(tolerations, at, errors);
  for (const i of repeatedItems(tolerations ?? [], semanticKey)) {
    errors.push(field.duplicate(at.index(i), tolerations?.[i]));
  }
  return errors;
}

/** `node.o8s.io/v1` runtime classes: ways to run containers that nodes offer. */
export const runtimeClasses = defineResource<RuntimeClass>({
  group: "node.o8s.io",
  version: "v1",
  kind: "RuntimeClass",
  plural: "runtimeclasses",
  singular: "runtimeclass",
  scope: "Cluster",
  verbs: allVerbs,
  schema: RuntimeClass,
  storagePrefix: "/registry/runtimeclasses",
  strategy: {
    validate: validateRuntimeClass,
    validateUpdate: (runtimeClass, old) => immutable(runtimeClass.handler, old.handler, "handler"),
    warnings: ({ scheduling }) => nodeLabelsWarnings(scheduling?.nodeSelector, () => "scheduling.nodeSelector"),
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: false,
  },
  columns: [
    name(),
    column("Handler", "string", "Name of its configuration on nodes.", ({ handler }) => handler),
    age(),
  ],
});
