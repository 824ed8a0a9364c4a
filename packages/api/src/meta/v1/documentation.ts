import type { TypeDocumentation } from "@orchernetes/apimachinery";

/** Texts of the types that all groups share. */
export const documentation: TypeDocumentation = {
  ObjectMeta: {
    "": "Metadata that every object has: its name, its owners, and when it was created and deleted.",
    name: "Name of the object, unique among objects of its resource in the namespace (or in the cluster, for resources without namespaces). It is part of the object's URL and cannot change. May be left out when generateName is given.",
    generateName:
      "Prefix that the server completes with five random characters to a name when name is empty. The result is trimmed to fit, and a conflict with an existing object is answered with AlreadyExists, so that the client can try again.",
    namespace:
      'Namespace of the object. It is taken from the URL when empty, cannot change, and is absent for cluster-scoped resources. Requests without a namespace mean "default".',
    selfLink: "Formerly the URL of the object. Deprecated: orch-apiserver neither sets nor reads it.",
    uid: "Identifier that the server sets at creation. No two objects ever have the same, so it distinguishes an object from a later one with the same name. Read-only.",
    resourceVersion:
      "Opaque text that changes with every write of the object. Compare it for equality only. Sent with an update, it makes the update fail with Conflict if the object was changed in between; lists and watches can start from it. Read-only.",
    generation:
      "Counts the versions of the desired state: it grows with each change of the spec and stays when only metadata or status change. Controllers report the last one they have acted on as observedGeneration. Read-only.",
    creationTimestamp:
      "Time at which the server first stored the object, in UTC with a precision of seconds. Set by the server; null in objects that are not stored, such as templates.",
    deletionTimestamp:
      "Time at which the object is to be removed. The server sets it on a graceful deletion; from then on it cannot be unset or moved later, no finalizer can be added, and the object disappears once the grace period is over and finalizers is empty.",
    deletionGracePeriodSeconds:
      "Seconds that the object was given to end gracefully when its deletion was requested. Set together with deletionTimestamp, and can only be shortened. Read-only.",
    labels:
      "Keys and values to find and group objects by: selectors of services, controllers and list requests match them. A key is a name of at most 63 characters with an optional DNS prefix (prefix/name), a value has at most 63 characters.",
    annotations:
      "Keys and values for tools and people. They cannot be selected on, may hold any text, and take at most 256 KiB together.",
    ownerReferences:
      "Objects that this one belongs to. When all of them are gone, the garbage collector deletes this object. Owners are in the same namespace or are cluster-scoped; at most one of them is marked as the managing controller.",
    finalizers:
      "Names of the clean-up steps that must be done before the object can be removed. While any are left, a deletion only marks the object; the component responsible for a finalizer removes its entry when done, in any order. None can be added once deletion has begun.",
    managedFields:
      "Who has set which fields, one entry for each manager, operation, version and subresource. The server maintains it for server-side apply; users rarely need it, and it can be reset by writing a list with one empty entry.",
  },
  ListMeta: {
    "": "Metadata of a list as a whole: the version it was read at, and how to continue.",
    selfLink: "Formerly the URL of the list. Deprecated: orch-apiserver neither sets nor reads it.",
    resourceVersion:
      "Version of the store that the list shows. A watch that starts from it reports every later change and nothing before. Opaque and read-only.",
    continue:
      "Token for the next page of a list that was cut off by limit; pass it back with otherwise unchanged parameters. Empty on the last page. It expires after some minutes, which is answered with 410 Expired.",
    remainingItemCount:
      "How many items follow after this page. Absent on the last page, and for lists with a label or field selector, where the server does not know.",
  },
  OwnerReference: {
    "": "Refers from a dependent object to an owner in the same namespace or at cluster scope. The garbage collector acts on it.",
    apiVersion: "Group and version of the owner, such as apps/v1.",
    kind: "Kind of the owner, such as ReplicaSet.",
    name: "Name of the owner.",
    uid: "UID of the owner. An object of the same name with another UID is not the owner.",
    controller:
      "True for the one owner that manages this object. Controllers ignore objects that another controller manages.",
    blockOwnerDeletion:
      "True if a foreground deletion of the owner has to wait until this object is gone. Other deletion policies do not wait.",
  },
  ManagedFieldsEntry: {
    "": "The set of fields that one manager owns, as tracked by server-side apply.",
    manager: "Name of the program or user, from the request's fieldManager or else from its user agent.",
    operation: "How the fields were set: Apply for server-side apply, Update for everything else.",
    apiVersion: "Group and version that the field names in this entry belong to.",
    time: "When this manager last added, changed or removed a field.",
    fieldsType: "Format of the field set. FieldsV1 is the only one.",
    fieldsV1:
      "The field set as nested objects: f:name stands for a field, k:{...} for the list item with these keys, v:value for the item with that value, and a dot for the item itself.",
    subresource:
      "Subresource that the fields were written through, such as status or scale; empty for the object's own URL. It is part of what distinguishes entries.",
  },
  LabelSelector: {
    "": "A query over labels: everything in matchLabels and in matchExpressions must hold. Without any requirement it selects every object; where the selector itself is absent, it selects none.",
    matchLabels:
      "Labels that must be present with exactly these values. Each pair is equivalent to an In requirement with one value.",
    matchExpressions: "Requirements on labels. All of them must hold.",
  },
  LabelSelectorRequirement: {
    "": "One condition on the label of one key.",
    key: "Key of the label.",
    operator:
      "How the label relates to the values: In (its value is among them), NotIn (it is not, or there is no such label), Exists (the label is present) or DoesNotExist (it is not).",
    values: "Values to compare with. At least one for In and NotIn, none for Exists and DoesNotExist.",
  },
  Condition: {
    "": "One observed aspect of an object's state. A status holds at most one condition of each type.",
    type: "What is observed, in CamelCase and optionally with a DNS prefix, such as Available or example.com/Ready.",
    status: "Whether it holds: True, False, or Unknown if the observer cannot determine it.",
    observedGeneration:
      "The metadata.generation that was observed. If it is lower than the object's current generation, the condition is about an older spec.",
    lastTransitionTime: "When status last changed. A change of only the reason or message does not change it.",
    reason: "A machine-readable reason, in CamelCase, for the current status. Not empty, at most 1024 characters.",
    message: "A human-readable explanation. May be empty, at most 32768 characters.",
  },
  DeleteOptions: {
    "": "How an object is to be deleted: the grace period, the preconditions, and what happens to its dependents. Sent as the body of a DELETE request.",
    gracePeriodSeconds:
      "Seconds that the object is given to end gracefully; 0 removes it immediately. When absent, the kind or the object decides, for a pod its terminationGracePeriodSeconds. Negative values count as 1.",
    preconditions: "Conditions that the stored object must meet. If it does not, the request fails with Conflict.",
    orphanDependents:
      "Whether to leave the dependents behind without this owner. Deprecated in favour of propagationPolicy; giving both is an error.",
    propagationPolicy:
      "What happens to the objects that this one owns: Background (the garbage collector deletes them afterwards), Foreground (this object stays until they are gone) or Orphan (they stay, with the owner reference removed). The default depends on the kind and on finalizers that are already set.",
    dryRun:
      "With the value All, the request goes through every check but nothing is stored. No other value is allowed.",
  },
  Preconditions: {
    "": "Conditions that an object must meet for a request on it to succeed.",
    uid: "The UID that the object must have, so that a newer object of the same name is left alone.",
    resourceVersion: "The resource version that the object must still have.",
  },
  Status: {
    "": "The server's response when there is no object to return: every error, and some successes, such as that of a deletion.",
    metadata:
      "Standard list metadata; empty, except in responses to lists whose continue token has expired, which may carry a new one.",
    status: "Success or Failure.",
    message: "A human-readable description of what happened.",
    reason:
      "What kind of failure it is, for programs: a word such as NotFound, AlreadyExists, Conflict, Invalid, Forbidden or TooManyRequests. Each belongs to one HTTP code. Empty if the code is sufficient.",
    details: "More about the failure: the object concerned, the individual causes, and when to retry.",
    code: "The HTTP status code of the answer.",
  },
  StatusDetails: {
    "": "What a failure is about. Which fields are filled depends on the reason.",
    name: "Name of the object concerned.",
    group: "API group of the object concerned; empty for the core group.",
    kind: "Kind of the object concerned, or the plural name of its resource, depending on the error.",
    uid: "UID of the object concerned, if one is known.",
    causes: "The individual errors found, for example one for each field that did not pass validation.",
    retryAfterSeconds: "Seconds to wait before trying again. Same value as the response's Retry-After header.",
  },
  StatusCause: {
    "": "One of the errors behind a failure.",
    reason: "Kind of error, for programs, such as FieldValueRequired, FieldValueInvalid or FieldValueDuplicate.",
    message: "A human-readable description of the error. May quote the value.",
    field: "Where in the object the error is, as a path such as spec.ports[0].name.",
  },
  List: {
    "": "A list of objects of any kind, as clients use it in files. The API has no resource of this kind.",
    metadata: "Metadata of the list as a whole.",
    items: "The objects, each with its own kind and apiVersion.",
  },
  GroupVersionKind: {
    "": "Name of a kind of object, with the group and version that define it.",
    group: "API group; empty for the core group.",
    version: "Version within the group, such as v1.",
    kind: "Kind in CamelCase, such as Deployment.",
  },
  GroupVersionResource: {
    "": "Name of a resource as used in URLs, with its group and version.",
    group: "API group; empty for the core group.",
    version: "Version within the group, such as v1.",
    resource: "Plural name in lower case, such as deployments.",
  },
};
