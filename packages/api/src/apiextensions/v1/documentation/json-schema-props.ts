import type { TypeDocumentation } from "@orchernetes/apimachinery";

export const jsonSchemaPropsDocumentation: TypeDocumentation = {
  JSONSchemaProps: {
    "": "A JSON schema, after draft 4 with the changes of OpenAPI 3.0.",
    id: "Not allowed in schemas of custom resources.",
    $schema: "Address of the dialect of JSON schema. Has no effect.",
    $ref: "Not allowed in schemas of custom resources: they contain everything.",
    description: "What the value means. Shown by kubectl explain.",
    type: "Type of the value: object, array, string, integer, number or boolean.",
    format:
      "Closer description of the type, such as date-time, duration, byte, uuid, ipv4, int32. Unknown formats are ignored.",
    title: "A short name of the value, for people.",
    default:
      "Value that the server fills in when it is absent, in requests and when reading what is stored. It must fit the schema.",
    maximum: "The value must not be greater.",
    exclusiveMaximum: "Whether maximum itself is not allowed. Default: false.",
    minimum: "The value must not be less.",
    exclusiveMinimum: "Whether minimum itself is not allowed. Default: false.",
    maxLength: "A string must not have more characters.",
    minLength: "A string must not have fewer characters.",
    pattern: "Regular expression that a string must match somewhere.",
    maxItems: "An array must not have more items.",
    minItems: "An array must not have fewer items.",
    uniqueItems: "Must not be true; x-orchernetes-list-type set is the way to keep items unique.",
    multipleOf: "A number must be this one times an integer.",
    enum: "The value must be one of these.",
    maxProperties: "An object must not have more members.",
    minProperties: "An object must not have fewer members.",
    required: "Names of members that an object must have.",
    items: "Schema of the items of an array: one for all.",
    allOf: "The value must fit all of these. They may add bounds, but no types, descriptions or defaults.",
    oneOf: "The value must fit exactly one of these. They may add bounds, but no types, descriptions or defaults.",
    anyOf: "The value must fit at least one of these. They may add bounds, but no types, descriptions or defaults.",
    not: "The value must not fit this. It may add bounds, but no types, descriptions or defaults.",
    properties: "Schemas of the members of an object, by name.",
    additionalProperties:
      "Schema of members that properties does not name: makes the object a map. Not together with properties.",
    patternProperties: "Not allowed in schemas of custom resources.",
    dependencies: "Not allowed in schemas of custom resources.",
    additionalItems: "Not allowed in schemas of custom resources.",
    definitions: "Not allowed in schemas of custom resources.",
    externalDocs: "Where to read more.",
    example: "A sample value. Has no effect.",
    nullable:
      "Whether null is allowed. Where it is not, null is dropped before a default is filled in. Default: false.",
    "x-orchernetes-preserve-unknown-fields":
      "true: members that the schema does not describe are kept here. May not be false. Members below that are described are pruned again.",
    "x-orchernetes-embedded-resource":
      "Whether the value is an object of the API itself, with kind, apiVersion and metadata, which are then checked and kept.",
    "x-orchernetes-int-or-string": "Whether the value is an integer or a string. Then type is left out.",
    "x-orchernetes-list-map-keys":
      "Members of the items that together tell them apart, for lists of type map. They must be required or have a default.",
    "x-orchernetes-list-type":
      "How lists are merged by apply and checked: atomic (the default) as a whole, set with items that are unique, map by the keys of the items.",
    "x-orchernetes-map-type":
      "How objects are merged by apply: granular (the default) member by member, atomic as a whole.",
    "x-orchernetes-validations":
      "CEL rules that the value must satisfy. They are checked after the rest of the schema.",
  },
  ValidationRule: {
    "": "A CEL rule about a value.",
    rule: "CEL expression of type bool; self is the value, oldSelf its former state. With oldSelf the rule is only checked on updates.",
    message: "Error when the rule is broken. Required when rule has line breaks. Default: failed rule: and the rule.",
    messageExpression:
      "CEL expression whose text is the error when the rule is broken; goes before message. When it fails, message is used.",
  },
  JSONSchemaPropsOrArray: {
    "": "A schema or a list of schemas; only the former is allowed in schemas of custom resources.",
    Schema: "The one schema.",
    JSONSchemas: "The list of schemas.",
  },
  JSONSchemaPropsOrBool: {
    "": "A schema, or whether anything is allowed.",
    Allows: "Whether anything is allowed, where there is no schema.",
    Schema: "The schema.",
  },
  JSONSchemaPropsOrStringArray: {
    "": "A schema or a list of member names.",
    Schema: "The schema.",
    Property: "The names of members.",
  },
  ExternalDocumentation: {
    "": "Where to read more.",
    description: "What is to be read there.",
    url: "Its address.",
  },
};
