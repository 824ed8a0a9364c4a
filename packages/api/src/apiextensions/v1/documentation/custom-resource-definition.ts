import type { TypeDocumentation } from "@orchernetes/apimachinery";

export const customResourceDefinitionDocumentation: TypeDocumentation = {
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
    description: "What the column shows, for people.",
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
    openAPIV3Schema: "The structural schema: every field has a type, so that unknown ones can be told.",
  },
  CustomResourceSubresources: {
    "": "Subresources of a version.",
    status:
      "When set, status is written only through its subresource and everything else only outside it; metadata.generation counts changes of the latter.",
    scale: "When set, there is a scale subresource, by which autoscalers and kubectl scale work.",
  },
  CustomResourceSubresourceStatus: {
    "": "Asks for a status subresource. It has no settings.",
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
    status: "True, False, or Unknown when nobody can tell.",
    lastTransitionTime: "When status last changed.",
    reason: "One CamelCase word that says why, for programs.",
    message: "What happened, for people.",
  },
};
