import type { TypeDocumentation } from "@orchernetes/apimachinery";

/** Texts of the types of apiextensions.o8s.io/v1. */
export const documentation: TypeDocumentation = {
  CustomResourceDefinition: {
    "": "Adds a kind to the API: orch-apiserver then serves and stores its objects. Its name is PLURAL.GROUP; deleting it deletes all objects.",
    spec: "The kind: names, scope, versions.",
    status: "Whether the kind is served. Written by orch-apiserver.",
  },
  CustomResourceDefinitionSpec: {
    "": "The kind that is added.",
    group: "Group that the kind is served in, a domain name such as example.com. Can't be changed.",
    names: "What the kind and its resource are called.",
    scope: "Namespaced or Cluster: whether the objects lie in namespaces. Can't be changed.",
    versions: "The versions of the kind. Exactly one is stored.",
    conversion: "How objects are changed from one version into another. Default: only apiVersion is changed.",
    preserveUnknownFields:
      "Must be false or absent; x-orchernetes-preserve-unknown-fields within the schema is the way to keep fields that it does not describe. Deprecated.",
  },
  CustomResourceDefinitionNames: {
    "": "What a kind and its resource are called. Each name may be used only once within the group.",
    plural: "Name of the resource in paths, lower case, such as crontabs. Can't be changed.",
    singular: "The same in the singular, for command lines. Default: kind in lower case.",
    shortNames: "Abbreviations for command lines, lower case.",
    kind: "Name of the kind in objects, in CamelCase, such as CronTab.",
    listKind: "Name of the kind's lists. Default: kind with List behind it.",
    categories: "Groups of resources on command lines that this one belongs to, such as all.",
  },
  CustomResourceDefinitionVersion: {
    "": "A version of a kind.",
    name: "Name of the version in paths, such as v1beta1. Clients are offered versions in the order v2, v1, v1beta1, and so on.",
    served: "Whether the version is served.",
    storage: "Whether objects are stored in this version. True for exactly one.",
    deprecated: "Whether requests for the version are answered with a warning. Default: false.",
    deprecationWarning:
      "Text of that warning, at most 256 characters. Only when deprecated is true. Default: one that names the kind and version.",
    schema: "What objects look like: for validation, for pruning unknown fields and for defaults. Required.",
    subresources: "Which subresources there are. Default: none.",
    additionalPrinterColumns: "Columns of tables. Default: the age of the object alone.",
  },
  CustomResourceColumnDefinition: {
    "": "A column of tables.",
    name: "Heading of the column.",
    type: "Type of the cells: string, integer, number, boolean or date.",
    format: "Closer description of the type, such as int32 or date-time; name marks the column of the names.",
    description: "A human-readable description of the column.",
    priority: "0: always shown; greater: only where there is room, such as with -o wide. Default: 0.",
    jsonPath: "Where the value is found in the object, as a simple JSON path such as .spec.replicas.",
  },
  CustomResourceConversion: {
    "": "How objects are changed from one version into another.",
    strategy: "None: only apiVersion is changed. Webhook: a webhook does it.",
    webhook: "The webhook. Required for the strategy Webhook, otherwise not allowed.",
  },
  WebhookConversion: {
    "": "The webhook that converts objects.",
    clientConfig: "How the webhook is called. Required.",
    conversionReviewVersions:
      "Versions of ConversionReview that the webhook understands, the preferred one first; the first that the server knows is sent.",
  },
  WebhookClientConfig: {
    "": "How a webhook is called. Exactly one of url and service is set.",
    url: "Address of the webhook: https://HOST:PORT/PATH, without user, query or fragment.",
    service: "Service in the cluster that the webhook runs behind.",
    caBundle:
      "Certificates, PEM in base64, one of which must have signed that of the webhook. Default: what the host of orch-apiserver trusts.",
  },
  ServiceReference: {
    "": "A Service and a path at it.",
    namespace: "Namespace of the Service.",
    name: "Name of the Service.",
    path: "Path of the requests. Default: /.",
    port: "Port of the Service, from 1 to 65535. Default: 443.",
  },
  CustomResourceValidation: {
    "": "What objects of a version look like.",
    openAPIV3Schema: "The structural schema: every field has a type, so that unknown ones can be recognized.",
  },
  CustomResourceSubresources: {
    "": "Subresources of a version.",
    status:
      "When set, status is written only through its subresource and everything else only outside it; metadata.generation counts changes of the latter.",
    scale: "When set, there is a scale subresource, by which autoscalers and kubectl scale work.",
  },
  CustomResourceSubresourceStatus: {
    "": "Requests a status subresource. It has no settings.",
  },
  CustomResourceSubresourceScale: {
    "": "Where the figures of the scale subresource are found. Paths are simple JSON paths without list items.",
    specReplicasPath: "The wanted number of replicas, below .spec. The field must be set before scale can be read.",
    statusReplicasPath: "The present number of replicas, below .status.",
    labelSelectorPath: "The label selector in text form, below .spec or .status. Autoscaling needs it.",
  },
  CustomResourceDefinitionStatus: {
    "": "State of a definition.",
    conditions: "Summaries of the state: NamesAccepted, Established, NonStructuralSchema, Terminating and others.",
    acceptedNames: "Names that are in use for the kind; they may differ from the wanted ones while those are taken.",
    storedVersions:
      "Versions in which objects were ever stored. One can be dropped from spec.versions only after its objects were rewritten and it was removed here.",
  },
  CustomResourceDefinitionCondition: {
    "": "One aspect of a definition's state.",
    type: "Which aspect: NamesAccepted (no name is taken), Established (the kind is served), Terminating (objects are being deleted) and others.",
    status: "True, False, or Unknown if it cannot be determined.",
    lastTransitionTime: "When status last changed.",
    reason: "A machine-readable reason in CamelCase.",
    message: "A human-readable description of what happened.",
  },
  JSONSchemaProps: {
    "": "A JSON schema, after draft 4 with the changes of OpenAPI 3.0.",
    id: "Not allowed in schemas of custom resources.",
    $schema: "Address of the dialect of JSON schema. Has no effect.",
    $ref: "Not allowed in schemas of custom resources: they contain everything.",
    description: "What the value means. Shown by kubectl explain.",
    type: "Type of the value: object, array, string, integer, number or boolean.",
    format:
      "Closer description of the type, such as date-time, duration, byte, uuid, ipv4, int32. Unknown formats are ignored.",
    title: "A short human-readable name of the value.",
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
  ConversionReview: {
    "": "What orch-apiserver sends to a conversion webhook and gets back.",
    request: "The objects to convert; set in what is sent.",
    response: "The converted objects; set in what comes back.",
  },
  ConversionRequest: {
    "": "Asks to convert objects.",
    uid: "Tells requests apart; the response repeats it.",
    desiredAPIVersion: "Group and version that is wanted, such as example.com/v1.",
    objects: "The objects, of any version of the kind.",
  },
  ConversionResponse: {
    "": "The answer of a conversion webhook.",
    uid: "The uid of the request.",
    convertedObjects:
      "The objects in the wanted version and in the order of the request. Empty when the conversion failed. Of metadata only labels and annotations may differ.",
    result: "Success, or Failure with a message that the client gets to see.",
  },
};
