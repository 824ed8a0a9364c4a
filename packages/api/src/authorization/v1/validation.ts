import { type FieldError, field, goStruct, type ObjectMeta } from "@orchernetes/apimachinery";
import type {
  LocalSubjectAccessReview,
  NonResourceAttributes,
  ResourceAttributes,
  SubjectAccessReviewSpec,
} from "./types.ts";

interface Attributes {
  readonly resourceAttributes?: ResourceAttributes | undefined;
  readonly nonResourceAttributes?: NonResourceAttributes | undefined;
}

const spec = field("spec");
const nonResource = spec.child("nonResourceAttributes");

function print(attributes: NonResourceAttributes): unknown {
  const { path = "", verb = "" } = attributes;
  return goStruct("authorization.NonResourceAttributes", { Path: path, Verb: verb });
}

/** Validates that a review is about a resource or about a path, and not both or neither. */
export function validateAttributes({ resourceAttributes, nonResourceAttributes }: Attributes): FieldError[] {
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    const detail = "cannot be specified in combination with resourceAttributes";
    return [field.invalid(nonResource, print(nonResourceAttributes), detail)];
  }
  if (resourceAttributes === undefined && nonResourceAttributes === undefined) {
    const detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    return [field.invalid(spec.child("resourceAttributes"), undefined, detail)];
  }
  return [];
}

/** Validates the spec of a review about another user. */
export function validateSubjectAccessReviewSpec(review: SubjectAccessReviewSpec): FieldError[] {
  const errors = validateAttributes(review);
  if ((review.user ?? "") === "" && (review.groups ?? []).length === 0) {
    errors.push(field.invalid(spec.child("user"), "", "at least one of user or group must be specified"));
  }
  return errors;
}

/**
 * Validates that the metadata of a review is empty except for the names in `except`: a review is a question and not an
 * object.
 */
export function validateEmptyMetadata(metadata: ObjectMeta, ...except: readonly "namespace"[]): FieldError[] {
  const ignored = new Set<string>([...except, "managedFields"]);
  const present = Object.entries(metadata).some(([name, value]) => !ignored.has(name) && !isEmpty(value));
  const detail = except.length === 0 ? "must be empty" : `must be empty except for ${except.join(", ")}`;
  return present ? [field.invalid("metadata", metadata, detail)] : [];
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === "" ||
    value === 0 ||
    (typeof value === "object" && Object.keys(value).length === 0)
  );
}

/** Validates a LocalSubjectAccessReview. */
export function validateLocalSubjectAccessReview(review: LocalSubjectAccessReview): FieldError[] {
  const errors = [
    ...validateSubjectAccessReviewSpec(review.spec),
    ...validateEmptyMetadata(review.metadata, "namespace"),
  ];
  const { resourceAttributes, nonResourceAttributes } = review.spec;
  if (resourceAttributes !== undefined && (resourceAttributes.namespace ?? "") !== (review.metadata.namespace ?? "")) {
    const path = spec.child("resourceAttributes", "namespace");
    errors.push(field.invalid(path, resourceAttributes.namespace ?? "", "must match metadata.namespace"));
  }
  if (nonResourceAttributes !== undefined) {
    errors.push(field.invalid(nonResource, print(nonResourceAttributes), "disallowed on this kind of request"));
  }
  return errors;
}
