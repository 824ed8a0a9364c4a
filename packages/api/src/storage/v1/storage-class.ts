import {
  bool,
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
  ObjectMeta,
  object,
  optional,
  pointer,
  required,
  string,
  validateLabels,
  value,
} from "@orchernetes/apimachinery";
import { nodeLabelWarning } from "../../core/v1/node-label-warnings.ts";
import { TopologySelectorTerm } from "../../core/v1/types/affinity.ts";
import { age, column, name } from "../../shared/columns.ts";
import { allVerbs } from "../../shared/definitions.ts";
import { immutable, semanticEqual, semanticKey } from "../../shared/immutable.ts";
import { repeatedItems } from "../../shared/repeated.ts";

const pkg = "storage/v1";

/**
 * How volumes are provisioned for the claims that refer to it by name.
 *
 * Defaults: `reclaimPolicy` Delete, `volumeBindingMode` Immediate. Both are immutable, as are `provisioner` and `parameters`.
 */
export const StorageClass = object(pkg, "StorageClass", () => ({
  metadata: value(1, ObjectMeta),
  provisioner: required(2, string),
  parameters: optional(3, mapOf(string)),
  reclaimPolicy: pointer(4, enumeration("Recycle", "Delete", "Retain")),
  mountOptions: optional(5, list(string)),
  allowVolumeExpansion: pointer(6, bool),
  volumeBindingMode: pointer(7, enumeration("Immediate", "WaitForFirstConsumer")),
  allowedTopologies: optional(8, list(TopologySelectorTerm)),
}));
export interface StorageClass extends Infer<typeof StorageClass> {}

export const StorageClassList = object(pkg, "StorageClassList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(StorageClass)),
}));
export interface StorageClassList extends Infer<typeof StorageClassList> {}

const maxParameters = 512;
const maxParametersBytes = 256 * 1024;
const reclaimPolicies = ["Delete", "Retain"];
const bindingModes = ["Immediate", "WaitForFirstConsumer"];
const defaultClassAnnotations = [
  "storageclass.orchernetes.io/is-default-class",
  "storageclass.beta.orchernetes.io/is-default-class",
];

function validateStorageClass(storageClass: StorageClass): FieldError[] {
  const { reclaimPolicy, volumeBindingMode, allowedTopologies } = storageClass;
  const errors = [
    ...validateProvisioner(storageClass.provisioner, field("provisioner")),
    ...validateParameters(storageClass.parameters ?? {}),
  ];
  if (reclaimPolicy !== undefined && reclaimPolicy.length > 0 && !reclaimPolicies.includes(reclaimPolicy)) {
    errors.push(field.notSupported("reclaimPolicy", reclaimPolicy, reclaimPolicies));
  }
  if (volumeBindingMode === undefined) {
    errors.push(field.required("volumeBindingMode"));
  } else if (!bindingModes.includes(volumeBindingMode)) {
    errors.push(field.notSupported("volumeBindingMode", volumeBindingMode, bindingModes));
  }
  return [...errors, ...validateTopologies(allowedTopologies ?? [], field("allowedTopologies"))];
}

/** Validates the name of a provisioner, in classes and in the annotations that repeat it. */
function validateProvisioner(provisioner: string, path: FieldPath): FieldError[] {
  return provisioner === ""
    ? [field.required(path)]
    : isQualifiedName(provisioner.toLowerCase()).map((message) => field.invalid(path, provisioner, message));
}

/**
 * Validates parameters: their number and total size have limits, as they are copied into each request to the driver.
 */
function validateParameters(parameters: Readonly<Record<string, string>>): FieldError[] {
  const entries = Object.entries(parameters);
  if (entries.length > maxParameters) {
    return [field.tooLong("parameters", "", maxParameters)];
  }
  const errors: FieldError[] = entries.some(([key]) => key === "")
    ? [field.invalid("parameters", "", "field can not be empty.")]
    : [];
  const bytes = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  return bytes > maxParametersBytes ? [...errors, field.tooLong("parameters", "", maxParametersBytes)] : errors;
}

function validateTopologies(terms: readonly TopologySelectorTerm[], path: FieldPath): FieldError[] {
  const seen = new Set<string>();
  return terms.flatMap((term, i) => {
    const at = path.index(i);
    const errors = validateTopologyTerm(term, at);
    const sets = semanticKey(
      Object.fromEntries(
        (term.matchLabelExpressions ?? []).map(({ key, values }) => [key, [...(values ?? [])].sort()]),
      ),
    );
    if (seen.has(sets)) {
      errors.push(field.duplicate(at.child("matchLabelExpressions"), ""));
    }
    seen.add(sets);
    return errors;
  });
}

function validateTopologyTerm(term: TopologySelectorTerm, path: FieldPath): FieldError[] {
  const keys = new Set<string>();
  return (term.matchLabelExpressions ?? []).flatMap(({ key, values }, i) => {
    const at = path.child("matchLabelExpressions").index(i);
    const errors: FieldError[] = [];
    if (values.length === 0) {
      errors.push(field.required(at.child("values")));
    }
    for (const j of repeatedItems(values, (value) => value)) {
      errors.push(field.duplicate(at.child("values").index(j), values[j]));
    }
    errors.push(...validateLabels({ [key]: "" }, at.child("key")));
    if (keys.has(key)) {
      errors.push(field.duplicate(at.child("key"), key));
    }
    keys.add(key);
    return errors;
  });
}

function validateStorageClassUpdate(storageClass: StorageClass, old: StorageClass): FieldError[] {
  const errors: FieldError[] = [];
  for (const part of ["parameters", "provisioner", "reclaimPolicy"] as const) {
    if (!semanticEqual(storageClass[part], old[part])) {
      errors.push(field.forbidden(part, `updates to ${part} are forbidden.`));
    }
  }
  return [...errors, ...immutable(storageClass.volumeBindingMode, old.volumeBindingMode, "volumeBindingMode")];
}

/** Sets the defaults of a StorageClass: volumes are deleted with their claim, and bound immediately. */
export function defaultStorageClass(storageClass: Draft<StorageClass>): void {
  storageClass.reclaimPolicy ??= "Delete";
  storageClass.volumeBindingMode ??= "Immediate";
}

function storageClassWarnings({ allowedTopologies }: StorageClass): string[] {
  return (allowedTopologies ?? []).flatMap(({ matchLabelExpressions }, i) =>
    (matchLabelExpressions ?? []).flatMap(({ key }, j) => {
      const text = nodeLabelWarning(key);
      return text === undefined ? [] : [`allowedTopologies[${i}].matchLabelExpressions[${j}].key: ${text}`];
    }),
  );
}

/** Whether a class is the default for claims that name none. */
export function isDefaultStorageClass({ metadata }: StorageClass): boolean {
  return defaultClassAnnotations.some((annotation) => metadata.annotations?.[annotation] === "true");
}

/** `storage.o8s.io/v1` storage classes: how volumes are provisioned. */
export const storageClasses = defineResource<StorageClass>({
  group: "storage.o8s.io",
  version: "v1",
  kind: "StorageClass",
  plural: "storageclasses",
  singular: "storageclass",
  shortNames: ["sc"],
  scope: "Cluster",
  verbs: allVerbs,
  schema: StorageClass,
  storagePrefix: "/registry/storageclasses",
  applyDefaults: defaultStorageClass,
  strategy: {
    validate: validateStorageClass,
    validateUpdate: validateStorageClassUpdate,
    warnings: storageClassWarnings,
    returnDeletedObject: true,
  },
  columns: [
    {
      ...name<StorageClass>(),
      value: (storageClass) =>
        `${storageClass.metadata.name ?? ""}${isDefaultStorageClass(storageClass) ? " (default)" : ""}`,
    },
    column("Provisioner", "string", "Provisioner of the volumes.", ({ provisioner }) => provisioner),
    column(
      "ReclaimPolicy",
      "string",
      "What becomes of a volume when its claim goes.",
      ({ reclaimPolicy }) => reclaimPolicy ?? "Delete",
    ),
    column(
      "VolumeBindingMode",
      "string",
      "When claims are bound to volumes.",
      ({ volumeBindingMode }) => volumeBindingMode ?? "Immediate",
    ),
    column(
      "AllowVolumeExpansion",
      "string",
      "Whether volumes can grow.",
      ({ allowVolumeExpansion }) => allowVolumeExpansion ?? false,
    ),
    age(),
  ],
});
