import {
  bool,
  bytes,
  defineResource,
  type FieldError,
  field,
  type Infer,
  isConfigMapKey,
  ListMeta,
  list,
  mapOf,
  ObjectMeta,
  object,
  optional,
  pointer,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";
import { age, column, name } from "../../shared/columns.ts";
import { allVerbs } from "../../shared/definitions.ts";
import { semanticEqual } from "../../shared/immutable.ts";
import { base64Bytes, maxDataBytes } from "./validation/data.ts";

const pkg = "core/v1";

/**
 * Configuration that pods read as files, environment variables or arguments: at most 1 MiB in total.
 *
 * Once `immutable` is true, it and the data cannot be changed any more (KEP-1412).
 */
export const ConfigMap = object(pkg, "ConfigMap", () => ({
  metadata: value(1, ObjectMeta),
  immutable: pointer(4, bool),
  data: optional(2, mapOf(string)),
  binaryData: optional(3, mapOf(bytes)),
}));
export interface ConfigMap extends Infer<typeof ConfigMap> {}

export const ConfigMapList = object(pkg, "ConfigMapList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(ConfigMap)),
}));
export interface ConfigMapList extends Infer<typeof ConfigMapList> {}

const duplicateText = {
  data: "duplicate of key present in binaryData",
  binaryData: "duplicate of key present in data",
};
const frozenText = "field is immutable when `immutable` is set";

/** Validates the keys of one part. Returns the number of bytes of its values. */
function validatePart(
  part: "data" | "binaryData",
  values: Readonly<Record<string, string>> | undefined,
  others: Readonly<Record<string, string>> | undefined,
  errors: FieldError[],
): number {
  let size = 0;
  for (const key in values) {
    for (const message of isConfigMapKey(key)) errors.push(field.invalid(field(part).key(key), key, message));
    if (others !== undefined && Object.hasOwn(others, key)) {
      errors.push(field.invalid(field(part).key(key), key, duplicateText[part]));
    }
    const text = values[key] ?? "";
    size += part === "data" ? Buffer.byteLength(text) : base64Bytes(text);
  }
  return size;
}

/**
 * Keys must be names of files, as pods mount them; data and binaryData share them. The size is limited because the
 * store and every node that mounts the map hold all of it.
 */
function validate(object: ConfigMap): FieldError[] {
  const errors: FieldError[] = [];
  const { data, binaryData } = object;
  const size = validatePart("data", data, binaryData, errors) + validatePart("binaryData", binaryData, data, errors);
  if (size > maxDataBytes) {
    errors.push(field.tooLong("", "", maxDataBytes));
  }
  return errors;
}

/** The data of an immutable map stays, and so does the flag: node agents stop watching such maps (KEP-1412). */
function validateUpdate(object: ConfigMap, old: ConfigMap): FieldError[] {
  const errors: FieldError[] = [];
  if (old.immutable === true) {
    if (object.immutable !== true) {
      errors.push(field.forbidden("immutable", frozenText));
    }
    for (const part of ["data", "binaryData"] as const) {
      if (!semanticEqual(object[part], old[part])) {
        errors.push(field.forbidden(part, frozenText));
      }
    }
  }
  errors.push(...validate(object));
  return errors;
}

/** `v1` config maps. */
export const configMaps = defineResource<ConfigMap>({
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  singular: "configmap",
  shortNames: ["cm"],
  scope: "Namespaced",
  verbs: allVerbs,
  schema: ConfigMap,
  storagePrefix: "/registry/configmaps",
  strategy: { validate, validateUpdate },
  columns: [
    name(),
    column("Data", "string", "Number of keys, text and binary together.", ({ data, binaryData }) => {
      return Object.keys(data ?? {}).length + Object.keys(binaryData ?? {}).length;
    }),
    age(),
  ],
});
