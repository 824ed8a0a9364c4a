import {
  bool,
  bytes,
  double,
  enumeration,
  type Infer,
  int32,
  int64,
  json,
  ListMeta,
  list,
  type MessageSchema,
  mapOf,
  message,
  ObjectMeta,
  object,
  openEnumeration,
  optional,
  pointer,
  required,
  string,
  time,
  value,
} from "@orchernetes/apimachinery";
import { schemaOrArray, schemaOrBool, schemaOrStrings } from "./schema-unions.ts";

const pkg = "apiextensions/v1";

/** The kind that is added. */
export const CustomResourceDefinitionSpec = message(pkg, "CustomResourceDefinitionSpec", () => ({
  group: required(1, string),
  names: required(3, CustomResourceDefinitionNames),
  scope: required(4, enumeration("Cluster", "Namespaced")),
  versions: required(7, list(CustomResourceDefinitionVersion)),
  conversion: pointer(9, CustomResourceConversion),
  preserveUnknownFields: optional(10, bool, { deprecated: true }),
}));
export interface CustomResourceDefinitionSpec extends Infer<typeof CustomResourceDefinitionSpec> {}

/** How objects are converted between versions. */
export const CustomResourceConversion = message(pkg, "CustomResourceConversion", () => ({
  strategy: required(1, enumeration("None", "Webhook")),
  webhook: pointer(2, WebhookConversion),
}));
export interface CustomResourceConversion extends Infer<typeof CustomResourceConversion> {}

/** The webhook that converts objects. */
export const WebhookConversion = message(pkg, "WebhookConversion", () => ({
  clientConfig: pointer(2, WebhookClientConfig),
  conversionReviewVersions: required(3, list(string)),
}));
export interface WebhookConversion extends Infer<typeof WebhookConversion> {}

/** How a webhook is called. Exactly one of url and service is set. */
export const WebhookClientConfig = message(pkg, "WebhookClientConfig", () => ({
  url: pointer(3, string),
  service: pointer(1, ServiceReference),
  caBundle: optional(2, bytes),
}));
export interface WebhookClientConfig extends Infer<typeof WebhookClientConfig> {}

/** A Service and a path at it. */
export const ServiceReference = message(pkg, "ServiceReference", () => ({
  namespace: required(1, string),
  name: required(2, string),
  path: pointer(3, string),
  port: pointer(4, int32),
}));
export interface ServiceReference extends Infer<typeof ServiceReference> {}

/** A version of a kind. */
export const CustomResourceDefinitionVersion = message(pkg, "CustomResourceDefinitionVersion", () => ({
  name: required(1, string),
  served: required(2, bool),
  storage: required(3, bool),
  deprecated: optional(7, bool),
  deprecationWarning: pointer(8, string),
  schema: pointer(4, CustomResourceValidation),
  subresources: pointer(5, CustomResourceSubresources),
  additionalPrinterColumns: optional(6, list(CustomResourceColumnDefinition)),
}));
export interface CustomResourceDefinitionVersion extends Infer<typeof CustomResourceDefinitionVersion> {}

/** A column of tables. */
export const CustomResourceColumnDefinition = message(pkg, "CustomResourceColumnDefinition", () => ({
  name: required(1, string),
  type: required(2, string),
  format: optional(3, string),
  description: optional(4, string),
  priority: optional(5, int32),
  jsonPath: required(6, string),
}));
export interface CustomResourceColumnDefinition extends Infer<typeof CustomResourceColumnDefinition> {}

/** Names of a kind and its resource. Each name can be used only once in a group. */
export const CustomResourceDefinitionNames = message(pkg, "CustomResourceDefinitionNames", () => ({
  plural: required(1, string),
  singular: optional(2, string),
  shortNames: optional(3, list(string)),
  kind: required(4, string),
  listKind: optional(5, string),
  categories: optional(6, list(string)),
}));
export interface CustomResourceDefinitionNames extends Infer<typeof CustomResourceDefinitionNames> {}

/** A condition of a definition. */
export const CustomResourceDefinitionCondition = message(pkg, "CustomResourceDefinitionCondition", () => ({
  type: required(1, string),
  status: required(2, openEnumeration("True", "False", "Unknown")),
  lastTransitionTime: optional(3, time),
  reason: optional(4, string),
  message: optional(5, string),
}));
export interface CustomResourceDefinitionCondition extends Infer<typeof CustomResourceDefinitionCondition> {}

/** State of a definition. */
export const CustomResourceDefinitionStatus = message(pkg, "CustomResourceDefinitionStatus", () => ({
  conditions: pointer(1, list(CustomResourceDefinitionCondition), { list: "map", keys: ["type"] }),
  acceptedNames: value(2, CustomResourceDefinitionNames),
  storedVersions: pointer(3, list(string)),
}));
export interface CustomResourceDefinitionStatus extends Infer<typeof CustomResourceDefinitionStatus> {}

/**
 * Adds a kind to the API. Its name is `<plural>.<group>`.
 *
 * Schemas must be structural (KEP-2332), and their rules are CEL expressions (KEP-2876).
 */
export const CustomResourceDefinition = object(pkg, "CustomResourceDefinition", () => ({
  metadata: value(1, ObjectMeta),
  spec: required(2, CustomResourceDefinitionSpec),
  status: value(3, CustomResourceDefinitionStatus),
}));
export interface CustomResourceDefinition extends Infer<typeof CustomResourceDefinition> {}

export const CustomResourceDefinitionList = object(pkg, "CustomResourceDefinitionList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(CustomResourceDefinition)),
}));
export interface CustomResourceDefinitionList extends Infer<typeof CustomResourceDefinitionList> {}

/** What objects of a version look like. */
export const CustomResourceValidation = message(pkg, "CustomResourceValidation", () => ({
  openAPIV3Schema: pointer(1, JSONSchemaProps),
}));
export interface CustomResourceValidation extends Infer<typeof CustomResourceValidation> {}

/** Subresources of a version. */
export const CustomResourceSubresources = message(pkg, "CustomResourceSubresources", () => ({
  status: pointer(1, CustomResourceSubresourceStatus),
  scale: pointer(2, CustomResourceSubresourceScale),
}));
export interface CustomResourceSubresources extends Infer<typeof CustomResourceSubresources> {}

/** Asks for a status subresource. It has no settings. */
export const CustomResourceSubresourceStatus = message(pkg, "CustomResourceSubresourceStatus", () => ({}));
export interface CustomResourceSubresourceStatus extends Infer<typeof CustomResourceSubresourceStatus> {}

/** Where the replicas and the selector of the scale subresource are. Paths are simple JSON paths without list items. */
export const CustomResourceSubresourceScale = message(pkg, "CustomResourceSubresourceScale", () => ({
  specReplicasPath: required(1, string),
  statusReplicasPath: required(2, string),
  labelSelectorPath: pointer(3, string),
}));
export interface CustomResourceSubresourceScale extends Infer<typeof CustomResourceSubresourceScale> {}

/** Names of extensions in manifests that were written for other servers of this API. */
const stockSpellings: Readonly<Record<string, string>> = Object.fromEntries(
  [
    "preserve-unknown-fields",
    "embedded-resource",
    "int-or-string",
    "list-map-keys",
    "list-type",
    "map-type",
    "validations",
  ].map((name) => [`x-kubernetes-${name}`, `x-orchernetes-${name}`]),
);

export const JSONSchemaProps: MessageSchema<Readonly<Record<string, unknown>>> = message(
  pkg,
  "JSONSchemaProps",
  () => ({
    id: optional(1, string),
    $schema: optional(2, string),
    $ref: pointer(3, string),
    description: optional(4, string),
    type: optional(5, string),
    format: optional(6, string),
    title: optional(7, string),
    default: pointer(8, json),
    maximum: pointer(9, double),
    exclusiveMaximum: optional(10, bool),
    minimum: pointer(11, double),
    exclusiveMinimum: optional(12, bool),
    maxLength: pointer(13, int64),
    minLength: pointer(14, int64),
    pattern: optional(15, string),
    maxItems: pointer(16, int64),
    minItems: pointer(17, int64),
    uniqueItems: optional(18, bool),
    multipleOf: pointer(19, double),
    enum: optional(20, list(json)),
    maxProperties: pointer(21, int64),
    minProperties: pointer(22, int64),
    required: optional(23, list(string)),
    items: pointer(24, JSONSchemaPropsOrArray),
    allOf: optional(25, list(JSONSchemaProps)),
    oneOf: optional(26, list(JSONSchemaProps)),
    anyOf: optional(27, list(JSONSchemaProps)),
    not: pointer(28, JSONSchemaProps),
    properties: optional(29, mapOf(JSONSchemaProps)),
    additionalProperties: pointer(30, JSONSchemaPropsOrBool),
    patternProperties: optional(31, mapOf(JSONSchemaProps)),
    dependencies: optional(32, mapOf(JSONSchemaPropsOrStringArray)),
    additionalItems: pointer(33, JSONSchemaPropsOrBool),
    definitions: optional(34, mapOf(JSONSchemaProps)),
    externalDocs: pointer(35, ExternalDocumentation),
    example: pointer(36, json),
    nullable: optional(37, bool),
    "x-orchernetes-preserve-unknown-fields": pointer(38, bool),
    "x-orchernetes-embedded-resource": optional(39, bool),
    "x-orchernetes-int-or-string": optional(40, bool),
    "x-orchernetes-list-map-keys": optional(41, list(string)),
    "x-orchernetes-list-type": pointer(42, string),
    "x-orchernetes-map-type": pointer(43, string),
    "x-orchernetes-validations": optional(44, list(ValidationRule), {
      patch: "merge",
      mergeKey: "rule",
      list: "map",
      keys: ["rule"],
    }),
  }),
  { aliases: stockSpellings },
);
export interface JSONSchemaProps extends Infer<typeof JSONSchemaProps> {}

/** A schema or a list of schemas; only the former is allowed in schemas of custom resources. */
export const JSONSchemaPropsOrArray = message(
  pkg,
  "JSONSchemaPropsOrArray",
  () => ({
    Schema: required(1, JSONSchemaProps, { pointer: true }),
    JSONSchemas: required(2, list(JSONSchemaProps)),
  }),
  { custom: schemaOrArray(() => JSONSchemaProps) },
);
export interface JSONSchemaPropsOrArray extends Infer<typeof JSONSchemaPropsOrArray> {}

/** A schema, or whether anything is allowed. */
export const JSONSchemaPropsOrBool = message(
  pkg,
  "JSONSchemaPropsOrBool",
  () => ({
    Allows: required(1, bool),
    Schema: required(2, JSONSchemaProps, { pointer: true }),
  }),
  { custom: schemaOrBool(() => JSONSchemaProps) },
);
export interface JSONSchemaPropsOrBool extends Infer<typeof JSONSchemaPropsOrBool> {}

/** Where to read more. */
export const ExternalDocumentation = message(pkg, "ExternalDocumentation", () => ({
  description: optional(1, string),
  url: optional(2, string),
}));
export interface ExternalDocumentation extends Infer<typeof ExternalDocumentation> {}

/** A CEL rule about a value. */
export const ValidationRule = message(pkg, "ValidationRule", () => ({
  rule: required(1, string),
  message: optional(2, string),
  messageExpression: optional(3, string),
}));
export interface ValidationRule extends Infer<typeof ValidationRule> {}

/** A schema or a list of member names. */
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
