/** One violated rule of an object. `type` is the cause's reason in a Status (`FieldValueRequired`, …). */
export interface FieldError {
  readonly type:
    | "FieldValueRequired"
    | "FieldValueInvalid"
    | "FieldValueDuplicate"
    | "FieldValueNotSupported"
    | "FieldValueForbidden"
    | "FieldValueTooLong"
    | "FieldValueTooMany"
    | "FieldValueNotFound"
    | "FieldValueTypeInvalid"
    | "InternalError";
  /** Path such as `spec.containers[0].image`. */
  readonly field: string;
  /** Message of the cause, e.g. `Required value: must specify an image`: prefix by type, quoted value, detail. */
  readonly message: string;
}
