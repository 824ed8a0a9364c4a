import {
  defineResource,
  type FieldError,
  type FieldPath,
  field,
  isDns1123Label,
  validateLabels,
} from "@orchernetes/apimachinery";
import { nodeLabelsWarnings } from "../../core/v1/node-label-warnings.ts";
import { validateResourceRequirements } from "../../core/v1/validation/container-resources.ts";
import { validateTolerations } from "../../core/v1/validation/tolerations.ts";
import { allVerbs } from "../../meta/verbs.ts";
import { semanticKey } from "../../shared/immutable.ts";
import { age, column, immutable, name, type ValidationContext } from "../../shared/index.ts";
import { repeatedItems } from "../../shared/repeated.ts";
import { type Overhead, RuntimeClass, type Scheduling } from "./types/runtime-class.ts";

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

function validateScheduling({ nodeSelector, tolerations }: Scheduling, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [...validateLabels(nodeSelector, path.child("nodeSelector"))];
  const at = path.child("tolerations");
  validateTolerations(tolerations, at, errors);
  for (const i of repeatedItems(tolerations ?? [], semanticKey)) {
    errors.push(field.duplicate(at.index(i), tolerations?.[i]));
  }
  return errors;
}

/** A way to run containers that nodes may offer. */
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
  columns: [name(), column("Handler", "string", "Name the nodes know it by.", ({ handler }) => handler), age()],
});
