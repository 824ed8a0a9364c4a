import { expect, test } from "vitest";
import { aggregate, field } from "./field.ts";

test("paths read like the object", () => {
  const image = field("spec").child("containers").index(0).child("image");
  expect(String(image)).toBe("spec.containers[0].image");
  expect(String(field("metadata", "labels").key("a.b/c"))).toBe("metadata.labels[a.b/c]");
  expect(String(field().child("spec"))).toBe("spec");
});

const at = field("spec", "x");

test.each([
  [field.required(at), "FieldValueRequired", "Required value"],
  [field.required(at, "say why"), "FieldValueRequired", "Required value: say why"],
  [field.invalid(at, "Bad", "no"), "FieldValueInvalid", 'Invalid value: "Bad": no'],
  [field.invalid(at, 0, "must be positive"), "FieldValueInvalid", "Invalid value: 0: must be positive"],
  [
    field.notSupported(at, "ICMP", ["SCTP", "TCP"]),
    "FieldValueNotSupported",
    'Unsupported value: "ICMP": supported values: "SCTP", "TCP"',
  ],
  [field.notSupported(at, "y"), "FieldValueNotSupported", 'Unsupported value: "y"'],
  [field.duplicate(at, "a"), "FieldValueDuplicate", 'Duplicate value: "a"'],
  [field.forbidden(at, "not now"), "FieldValueForbidden", "Forbidden: not now"],
  [field.tooLong(at, "xxxx", 3), "FieldValueTooLong", "Too long: must have at most 3 bytes"],
  [field.tooMany(at, 5, 3), "FieldValueTooMany", "Too many: 5: must have at most 3 items"],
  [field.notFound(at, "v"), "FieldValueNotFound", 'Not found: "v"'],
  [field.typeInvalid(at, "v", "want a number"), "FieldValueTypeInvalid", 'Invalid value: "v": want a number'],
  [field.internal(at, "broken"), "InternalError", "Internal error: broken"],
] as const)("%j", (error, type, message) => {
  expect(error).toEqual({ type, field: "spec.x", message });
});

test.each([
  [[field.required("a")], "a: Required value"],
  [[field.required("a"), field.required("b")], "[a: Required value, b: Required value]"],
  [[field.required("a"), field.required("a")], "a: Required value"],
])("aggregates %j", (errors, want) => {
  expect(aggregate(errors)).toBe(want);
});
