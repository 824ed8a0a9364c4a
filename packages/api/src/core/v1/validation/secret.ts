import { type FieldError, field, isConfigMapKey } from "@orchernetes/apimachinery";
import { immutable, semanticEqual } from "../../../shared/immutable.ts";
import type { Secret } from "../types/secret.ts";
import { base64Bytes, maxDataBytes } from "./data.ts";
import { jsonError } from "./json-error.ts";

const redacted = "<secret contents redacted>";
const serviceAccountAnnotation = "orchernetes.io/service-account.name";
const frozenText = "field is immutable when `immutable` is set";
/** Paths of two types carry this literally; clients have always been told so. */
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

/** What each type of secret must hold. */
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

/** Error list of a secret: keys, total size, and what its type demands. */
export function validateSecret(secret: Secret): FieldError[] {
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

/** Error list of a change to a secret: the type stays, and so does everything once `immutable` is set. */
export function validateSecretUpdate(secret: Secret, old: Secret): FieldError[] {
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
