import type { TypeDocumentation } from "@orchernetes/apimachinery";

const attributes = {
  resourceAttributes: "A request for a resource. Exactly one of this and nonResourceAttributes is set.",
  nonResourceAttributes: "A request for a path that belongs to no resource.",
};

const review = {
  metadata: "Has no meaning here.",
  spec: "The question.",
  status: "The answer, filled in by the server.",
};

/** Texts of the types of authorization.o8s.io/v1. */
export const documentation: TypeDocumentation = {
  SubjectAccessReview: {
    "": "Asks whether a user or a group may do something. It is answered immediately and not stored.",
    ...review,
  },
  LocalSubjectAccessReview: {
    "": "Asks whether a user or a group may do something in one namespace. To allow a user to create it, permissions in the namespace are enough.",
    ...review,
    metadata: "Its namespace must be empty or that of the path.",
    spec: "The question. Its resourceAttributes.namespace must be the namespace of the path.",
  },
  SelfSubjectAccessReview: {
    "": "Asks whether the caller may do something. It is answered immediately and not stored.",
    ...review,
  },
  SelfSubjectRulesReview: {
    "": "Asks what the asker may do in a namespace. The answer is for showing; whether something is allowed is better asked with a SelfSubjectAccessReview.",
    ...review,
  },
  SubjectAccessReviewSpec: {
    "": "Who wants to do what. At least one of user and groups is set.",
    ...attributes,
    user: "Name of the user. Without groups, it is asked whether the user alone may.",
    groups: "Groups of the user.",
    extra: "Further attributes of the user, as an authenticator would give them.",
    uid: "UID of the user.",
  },
  SelfSubjectAccessReviewSpec: {
    "": "What the asker wants to do.",
    ...attributes,
  },
  SelfSubjectRulesReviewSpec: {
    "": "The place that is asked about.",
    namespace: "The namespace to list permissions for. Required.",
  },
  ResourceAttributes: {
    "": "A request for a resource.",
    namespace: 'Namespace of the object; "" for objects without one, and for all namespaces where objects have one.',
    verb: "What is to be done: get, list, watch, create, update, patch, delete, deletecollection, proxy, or * for all.",
    group: 'Group of the resource; "" is the core group, * means all.',
    version: "Version of the resource; * means all.",
    resource: "Plural name of the resource; * means all.",
    subresource: 'Name of the subresource; "" means none.',
    name: 'Name of the object; "" means all.',
  },
  NonResourceAttributes: {
    "": "A request for a path that belongs to no resource.",
    path: "Path of the URL, such as /healthz.",
    verb: "Method of the request in lower case, such as get.",
  },
  SubjectAccessReviewStatus: {
    "": "Whether something is allowed.",
    allowed: "Whether it is allowed. False also when nobody decided.",
    denied:
      "Whether an authorizer forbade it outright, so that no other one could allow it. Never true together with allowed.",
    reason: "The reason, if the authorizer reports one.",
    evaluationError: "What went wrong while deciding, such as a missing role. The answer may still be right.",
  },
  SubjectRulesReviewStatus: {
    "": "What the asker may do in a namespace, as far as the authorizers can list it.",
    resourceRules: "Permissions on resources, in no particular order.",
    nonResourceRules: "Permissions on paths that belong to no resource, in no particular order.",
    incomplete: "Whether there may be more permissions than listed, because an authorizer can't list them or failed.",
    evaluationError: "Which authorizer could not list permissions, and why.",
  },
  ResourceRule: {
    "": "Allows verbs on resources.",
    verbs: "What may be done; * means everything.",
    apiGroups: 'Groups of the resources; "" is the core group, * means all.',
    resources: "Plural names of resources; subresources as pods/log, * means all.",
    resourceNames: "Names of the objects. Default: all.",
  },
  NonResourceRule: {
    "": "Allows verbs on paths.",
    verbs: "Methods in lower case; * means all.",
    nonResourceURLs: "Paths; * as the last step stands for everything below.",
  },
};
