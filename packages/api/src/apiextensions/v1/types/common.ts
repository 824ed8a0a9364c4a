import { type Infer, list, message, optional, required, string } from "@orchernetes/apimachinery";
import { JSONSchemaProps } from "./custom-resource-definition.ts";
import { schemaOrStrings } from "./schema-unions.ts";

const pkg = "apiextensions/v1";

export const ValidationRule = message(pkg, "ValidationRule", () => ({
  rule: required(1, string),
  message: optional(2, string),
  messageExpression: optional(3, string),
}));
export interface ValidationRule extends Infer<typeof ValidationRule> {}

export const JSONSchemaPropsOrStringArray = message(
  pkg,
  "JSONSchemaPropsOrStringArray",
  () => ({
    Schema: required(1, JSONSchemaProps, { pointer: true }),
    Property: required(2, list(string)),
  }),
  { custom: schemaOrStrings(() => JSONSchemaProps) },
);
export interface JSONSchemaPropsOrStringArray extends Infer<typeof JSONSchemaPropsOrStringArray> {}
