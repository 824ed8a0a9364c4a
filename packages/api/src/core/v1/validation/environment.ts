import {
  type FieldError,
  type FieldPath,
  field,
  isConfigMapKey,
  isDns1123Subdomain,
  isEnvVarName,
} from "@orchernetes/apimachinery";
import { report, requireText } from "../../../shared/report.ts";
import type { EnvFromSource, EnvVar, EnvVarSource } from "../types/environment.ts";
import { envFieldPaths, validateObjectFieldSelector, validateResourceFieldSelector } from "./downward.ts";

/** The common form of references to a key of a config map and of a secret. */
interface KeySelector {
  readonly name?: string | undefined;
  readonly key: string;
}

/** Validates environment variables. Names may occur more than once; the last value counts. */
export function validateEnv(vars: readonly EnvVar[] | undefined, path: FieldPath, errors: FieldError[]): void {
  for (const [i, variable] of (vars ?? []).entries()) {
    const { name, valueFrom } = variable;
    if (!name) {
      requireText(errors, name, path.index(i), "name");
    } else {
      const messages = isEnvVarName(name);
      if (messages.length > 0) {
        report(errors, messages, path.index(i), "name", name);
      }
    }
    if (valueFrom !== undefined) {
      validateSource(valueFrom, variable.value ?? "", path.index(i).child("valueFrom"), errors);
    }
  }
}

/** Validates the source of a variable; exactly one, and none beside a value. */
function validateSource(source: EnvVarSource, value: string, path: FieldPath, errors: FieldError[]): void {
  let sources = 0;
  if (source.fieldRef !== undefined) {
    sources++;
    validateObjectFieldSelector(source.fieldRef, envFieldPaths, path.child("fieldRef"), errors);
  }
  if (source.resourceFieldRef !== undefined) {
    sources++;
    validateResourceFieldSelector(source.resourceFieldRef, path.child("resourceFieldRef"), false, errors);
  }
  if (source.configMapKeyRef !== undefined) {
    sources++;
    validateKeySelector(source.configMapKeyRef, path.child("configMapKeyRef"), errors);
  }
  if (source.secretKeyRef !== undefined) {
    sources++;
    validateKeySelector(source.secretKeyRef, path.child("secretKeyRef"), errors);
  }
  if (sources === 0) {
    const detail = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`";
    errors.push(field.invalid(path, "", detail));
  } else if (value !== "") {
    errors.push(field.invalid(path, "", "may not be specified when `value` is not empty"));
  } else if (sources > 1) {
    errors.push(field.invalid(path, "", "may not have more than one field specified at a time"));
  }
}

/**
 * Validates a reference to a key. Whether the object and the key exist is checked by the orchlet when it starts the
 * container.
 */
function validateKeySelector(selector: KeySelector, path: FieldPath, errors: FieldError[]): void {
  report(errors, isDns1123Subdomain(selector.name ?? ""), path, "name", selector.name ?? "");
  if (requireText(errors, selector.key, path, "key")) {
    report(errors, isConfigMapKey(selector.key), path, "key", selector.key);
  }
}

/** Validates sources of several variables: an optional prefix, and exactly one source each. */
export function validateEnvFrom(
  sources: readonly EnvFromSource[] | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const [i, source] of (sources ?? []).entries()) {
    const item = path.index(i);
    if (source.prefix) {
      report(errors, isEnvVarName(source.prefix), item, "prefix", source.prefix);
    }
    let count = 0;
    for (const kind of ["configMapRef", "secretRef"] as const) {
      const reference = source[kind];
      if (reference === undefined) {
        continue;
      }
      count++;
      const { name } = reference;
      if (requireText(errors, name, item.child(kind), "name") && name !== undefined) {
        report(errors, isDns1123Subdomain(name), item.child(kind), "name", name);
      }
    }
    // Upstream reports these two at the list, without the index.
    if (count === 0) {
      errors.push(field.invalid(path, "", "must specify one of: `configMapRef` or `secretRef`"));
    } else if (count > 1) {
      errors.push(field.invalid(path, "", "may not have more than one field specified at a time"));
    }
  }
}
