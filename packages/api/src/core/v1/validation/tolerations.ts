import {
  type FieldError,
  type FieldPath,
  field,
  goStruct,
  isQualifiedName,
  isValidLabelValue,
  literal,
} from "@orchernetes/apimachinery";
import { report, requireOneOf } from "../../../shared/report.ts";
import type { Taint, Toleration } from "../types/affinity.ts";

/** Effects of a taint on pods that do not tolerate it. */
const taintEffects: readonly string[] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/** Validates the tolerations of a pod. Duplicates are allowed. */
export function validateTolerations(
  tolerations: readonly Toleration[] | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const [i, toleration] of (tolerations ?? []).entries()) {
    validateToleration(toleration, path, i, errors);
  }
}

/**
 * Validates one toleration. An invalid value is reported at `operator`, as upstream does. An empty key with Exists
 * tolerates every taint.
 */
function validateToleration(toleration: Toleration, list: FieldPath, i: number, errors: FieldError[]): void {
  const key = toleration.key ?? "";
  const operator: string = toleration.operator ?? "";
  const value = toleration.value ?? "";
  const effect: string = toleration.effect ?? "";
  if (key !== "") {
    const messages = isQualifiedName(key);
    if (messages.length > 0) {
      report(errors, messages, list.index(i), "key", key);
    }
  } else if (operator !== "Exists") {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(field.invalid(list.index(i).child("operator"), operator, detail));
  }
  if (toleration.tolerationSeconds !== undefined && effect !== "NoExecute") {
    const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    errors.push(field.invalid(list.index(i).child("effect"), effect, detail));
  }
  if (operator === "Equal" || operator === "") {
    const messages = value === "" ? [] : isValidLabelValue(value);
    if (messages.length > 0) {
      errors.push(field.invalid(list.index(i).child("operator"), value, messages.join(";")));
    }
  } else if (operator !== "Exists") {
    errors.push(field.notSupported(list.index(i).child("operator"), operator, ["Equal", "Exists"]));
  } else if (value !== "") {
    const detail = "value must be empty when `operator` is 'Exists'";
    errors.push(field.invalid(list.index(i).child("operator"), shown(toleration), detail));
  }
  if (effect !== "" && !taintEffects.includes(effect)) {
    requireOneOf(errors, effect, taintEffects, list.index(i), "effect");
  }
}

/** The toleration as Go prints the struct; upstream quotes it in the error. */
function shown({ key, operator, value, effect, tolerationSeconds }: Toleration) {
  return goStruct("core.Toleration", {
    Key: key ?? "",
    Operator: operator ?? "",
    Value: value ?? "",
    Effect: effect ?? "",
    TolerationSeconds: literal(tolerationSeconds === undefined ? "(*int64)(nil)" : `(*int64)(${tolerationSeconds})`),
  });
}

/**
 * Validates the taints of a node. Each pair of key and effect may occur once; the value is not part of a taint's
 * identity.
 */
export function validateTaints(taints: readonly Taint[] | undefined, path: FieldPath, errors: FieldError[]): void {
  const seen = new Set<string>();
  for (const [i, taint] of (taints ?? []).entries()) {
    const at = path.index(i);
    const effect: string = taint.effect ?? "";
    report(errors, isQualifiedName(taint.key ?? ""), at, "key", taint.key ?? "");
    const value = isValidLabelValue(taint.value ?? "");
    if (value.length > 0) {
      errors.push(field.invalid(at.child("value"), taint.value, value.join(";")));
    }
    if (effect === "") {
      errors.push(field.required(at.child("effect")));
    } else {
      requireOneOf(errors, effect, taintEffects, at, "effect");
    }
    const pair = `${effect}\n${taint.key}`;
    if (seen.has(pair)) {
      const twin = goStruct("core.Taint", {
        Key: taint.key,
        Value: taint.value ?? "",
        Effect: effect,
        TimeAdded: literal(taint.timeAdded ?? "<nil>"),
      });
      const error = field.duplicate(at, twin);
      errors.push({ ...error, message: `${error.message}: taints must be unique by key and effect pair` });
    }
    seen.add(pair);
  }
}
