import {
  bool,
  bytes,
  type Draft,
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
  parseJson,
  pointer,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";
import { age, column, name } from "../../shared/columns.ts";
import { allVerbs } from "../../shared/definitions.ts";
import { immutable, semanticEqual } from "../../shared/immutable.ts";
import { base64Bytes, maxDataBytes } from "./validation/data.ts";

const pkg = "core/v1";

/**
 * Confidential values, such as passwords, keys and tokens: at most 1 MiB in total. `type` is immutable and defaults to
 * `Opaque`.
 *
 * Once `immutable` is true, it and the data cannot be changed any more (KEP-1412).
 */
export const Secret = object(pkg, "Secret", () => ({
  metadata: value(1, ObjectMeta),
  immutable: pointer(5, bool),
  data: optional(2, mapOf(bytes)),
  stringData: optional(4, mapOf(string)),
  type: optional(3, string),
}));
export interface Secret extends Infer<typeof Secret> {}

export const SecretList = object(pkg, "SecretList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(Secret)),
}));
export interface SecretList extends Infer<typeof SecretList> {}

/**
 * The error of a text that is not JSON; undefined if it is. Without the position, which would reveal something about a
 * secret's content.
 */
function jsonError(text: string): string | undefined {
  try {
    parseJson(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/ \(at offset \d+\)$/, "") : String(error);
  }
}

const redacted = "<secret contents redacted>";
const serviceAccountAnnotation = "orchernetes.io/service-account.name";
const frozenText = "field is immutable when `immutable` is set";
/** Kubernetes 1.27 reports this path literally for two types: the format string is not filled in. */
const oddKey = "data[%s]";

type Check = (data: Readonly<Record<string, string>>, secret: Secret) => FieldError[];

const requireJson =
  (key: string): Check =>
  (data) => {
    const at = field("data").key(key);
    const text = data[key];
    if (text === undefined) {
      return [field.required(at)];
    }
    const error = jsonError(Buffer.from(text, "base64").toString());
    return error === undefined ? [] : [field.invalid(at, redacted, error)];
  };

/** The required content of each built-in type of secret. */
const checks: Readonly<Record<string, Check>> = {
  "orchernetes.io/service-account-token": (_, { metadata }) => {
    const at = field("metadata", "annotations").key(serviceAccountAnnotation);
    return metadata.annotations?.[serviceAccountAnnotation] ? [] : [field.required(at)];
  },
  "orchernetes.io/dockercfg": requireJson(".dockercfg"),
  "orchernetes.io/dockerconfigjson": requireJson(".dockerconfigjson"),
  "orchernetes.io/basic-auth": (data) =>
    Object.hasOwn(data, "username") || Object.hasOwn(data, "password")
      ? []
      : [field.required(`${oddKey}[username]`), field.required(`${oddKey}[password]`)],
  "orchernetes.io/ssh-auth": (data) => (data["ssh-privatekey"] ? [] : [field.required(`${oddKey}[ssh-privatekey]`)]),
  "orchernetes.io/tls": (data) =>
    ["tls.crt", "tls.key"]
      .filter((key) => !Object.hasOwn(data, key))
      .map((key) => field.required(field("data").key(key))),
};

/** Validates a secret: keys, total size, and what its type requires. */
function validateSecret(secret: Secret): FieldError[] {
  const errors: FieldError[] = [];
  const data = secret.data ?? {};
  let size = 0;
  for (const [key, text] of Object.entries(data)) {
    errors.push(...isConfigMapKey(key).map((message) => field.invalid(field("data").key(key), key, message)));
    size += base64Bytes(text);
  }
  if (size > maxDataBytes) {
    errors.push(field.tooLong("data", "", maxDataBytes));
  }
  const type = secret.type ?? "";
  if (Object.hasOwn(checks, type)) {
    errors.push(...(checks[type]?.(data, secret) ?? []));
  }
  return errors;
}

/** Validates an update of a secret: the type stays, and so does everything once `immutable` is set. */
function validateSecretUpdate(secret: Secret, old: Secret): FieldError[] {
  const errors = immutable(secret.type, old.type, "type");
  if (old.immutable === true) {
    if (secret.immutable !== true) {
      errors.push(field.forbidden("immutable", frozenText));
    }
    if (!semanticEqual(secret.data, old.data)) {
      errors.push(field.forbidden("data", frozenText));
    }
  }
  errors.push(...validateSecret(secret));
  return errors;
}

/** Encodes `stringData`, overrides `data` with it, and drops it: it is for writers only and never stored. */
function applyDefaults(secret: Draft<Secret>): void {
  const { stringData } = secret;
  if (stringData !== undefined) {
    const data: Record<string, string> = { ...secret.data };
    for (const [key, text] of Object.entries(stringData)) {
      data[key] = Buffer.from(text).toString("base64");
    }
    secret.data = data;
    delete secret.stringData;
  }
  secret.type ||= "Opaque";
}

/** `v1` secrets. */
export const secrets = defineResource<Secret>({
  group: "",
  version: "v1",
  kind: "Secret",
  plural: "secrets",
  singular: "secret",
  scope: "Namespaced",
  verbs: allVerbs,
  schema: Secret,
  storagePrefix: "/registry/secrets",
  applyDefaults,
  strategy: { validate: validateSecret, validateUpdate: validateSecretUpdate },
  columns: [
    name(),
    column("Type", "string", "What kind of confidential data it holds.", (secret) => secret.type ?? ""),
    column("Data", "string", "Number of keys.", (secret) => Object.keys(secret.data ?? {}).length),
    age(),
  ],
  fieldSelectors: ["type"],
  selectableFields: (secret) => ({ type: secret.type ?? "" }),
});
