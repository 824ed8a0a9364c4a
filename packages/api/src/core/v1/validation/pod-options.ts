import { type FieldError, field } from "@orchernetes/apimachinery";
import { nonNegative, positive } from "../../../shared/numbers.ts";
import type { Binding } from "../types/binding.ts";
import type { PodLogOptions } from "../types/pod-options.ts";

/** Validates the parameters of a log request. */
export function validatePodLogOptions(options: PodLogOptions): FieldError[] {
  const errors = [...nonNegative(options.tailLines, "tailLines"), ...positive(options.limitBytes, "limitBytes")];
  if (options.sinceSeconds !== undefined && options.sinceTime !== undefined) {
    errors.push(field.forbidden("", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
  } else {
    errors.push(...positive(options.sinceSeconds, "sinceSeconds"));
  }
  return errors;
}

/** Validates a binding: its target is a node with a name. */
export function validateBinding({ target }: Binding): FieldError[] {
  const errors: FieldError[] = [];
  if (target.kind && target.kind !== "Node") {
    errors.push(field.notSupported("target.kind", target.kind, ["Node", "<empty>"]));
  }
  if (!target.name) {
    errors.push(field.required("target.name"));
  }
  return errors;
}
