import { defineResource, type FieldError, field, isConfigMapKey } from "@orchernetes/apimachinery";
import { age, column, name } from "../../shared/columns.ts";
import { semanticEqual } from "../../shared/immutable.ts";
import { allVerbs } from "../../shared/verbs.ts";
import { ConfigMap } from "./types/config-map.ts";
import { base64Bytes, maxDataBytes } from "./validation/data.ts";

const duplicateText = {
  data: "duplicate of key present in binaryData",
  binaryData: "duplicate of key present in data",
};
const frozenText = "field is immutable when `immutable` is set";

function validate(object: ConfigMap): FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const [part, other] of [
    ["data", "binaryData"],
    ["binaryData", "data"],
  ] as const) {
    const values = object[part] ?? {};
    const others = object[other] ?? {};
    for (const key of Object.keys(values)) {
      const at = field(part).key(key);
      errors.push(...isConfigMapKey(key).map((message) => field.invalid(at, key, message)));
      if (Object.hasOwn(others, key)) {
        errors.push(field.invalid(at, key, duplicateText[part]));
      }
      const text = values[key] ?? "";
      size += part === "data" ? Buffer.byteLength(text) : base64Bytes(text);
    }
  }
  if (size > maxDataBytes) {
    errors.push(field.tooLong("", "", maxDataBytes));
  }
  return errors;
}

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
