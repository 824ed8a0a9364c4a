import type { TypeDocumentation } from "@orchernetes/apimachinery";

/** Texts of the types of rbac.authorization.o8s.io/v1. */
export const documentation: TypeDocumentation = {
  Role: {
    "": "Permissions within one namespace. They are granted by a RoleBinding.",
    rules: "What is allowed. Rules only ever add up; nothing can be forbidden.",
  },
  ClusterRole: {
    "": "Permissions for the whole cluster when given by a ClusterRoleBinding, or for one namespace when given by a RoleBinding.",
    rules: "What is allowed. With an aggregationRule they are written by a controller, and changes by others are lost.",
    aggregationRule: "Makes the rules out of those of other ClusterRoles.",
  },
  AggregationRule: {
    "": "Which ClusterRoles a ClusterRole is put together from.",
    clusterRoleSelectors: "The rules of every ClusterRole whose labels match at least one of these are taken over.",
  },
  PolicyRule: {
    "": "Allows verbs, either on resources or on paths that belong to no resource.",
    verbs: "What may be done, such as get, list, watch, create, update, patch, delete; * means everything.",
    apiGroups: 'Groups of the resources; "" is the core group, * means all.',
    resources: "Plural names of resources; subresources as pods/log, those of every resource as */scale, * means all.",
    resourceNames:
      "Names of the objects. Default: all. Verbs that carry no name in the request (create, deletecollection, list without a field selector for the name) are never allowed by a rule with names.",
    nonResourceURLs:
      "Paths such as /healthz; * as the last step stands for everything below. Only in a ClusterRole that a ClusterRoleBinding refers to. Not together with resources.",
  },
  RoleBinding: {
    "": "Gives the permissions of a Role of the same namespace, or of a ClusterRole, to subjects, within the namespace of the binding.",
    subjects: "Who gets the permissions.",
    roleRef: "The Role or ClusterRole. Can't be changed: delete the binding and make a new one.",
  },
  ClusterRoleBinding: {
    "": "Gives the permissions of a ClusterRole to subjects, everywhere in the cluster.",
    subjects: "Who gets the permissions.",
    roleRef: "The ClusterRole. Can't be changed: delete the binding and make a new one.",
  },
  RoleRef: {
    "": "Names the role that a binding gives.",
    apiGroup: "Group of the role: rbac.authorization.o8s.io.",
    kind: "Role or ClusterRole.",
    name: "Name of the role. It need not exist yet.",
  },
  Subject: {
    "": "Somebody who gets permissions.",
    kind: "User, Group or ServiceAccount.",
    apiGroup:
      'Group of the subject. Default: "" for a ServiceAccount, rbac.authorization.o8s.io for a User or a Group.',
    name: "Name of the user, group or service account.",
    namespace: "Namespace of the ServiceAccount; not allowed for users and groups.",
  },
};
