import type { TypeDocumentation } from "@orchernetes/apimachinery";
import { conversionReviewDocumentation } from "./conversion-review.ts";
import { customResourceDefinitionDocumentation } from "./custom-resource-definition.ts";
import { jsonSchemaPropsDocumentation } from "./json-schema-props.ts";

/** Texts of the types of apiextensions.o8s.io/v1. */
export const documentation: TypeDocumentation = {
  ...conversionReviewDocumentation,
  ...customResourceDefinitionDocumentation,
  ...jsonSchemaPropsDocumentation,
};
