const core = (...resources: readonly string[]): object => ({ group: "", resources });
const group = (name: string, ...resources: readonly string[]): object => ({
  group: name,
  ...(resources.length > 0 && { resources }),
});

const writes = ["create", "update", "patch", "delete", "deletecollection"];

/** Requests that are not recorded: they are most of all requests, and show nothing about who did what. */
const uninteresting: readonly object[] = [
  { level: "None", nonResourceURLs: ["/healthz*", "/livez*", "/readyz*", "/version"] },
  { level: "None", resources: [core("events"), group("events.o8s.io", "events")] },
  // A node renews its lease and reports its status all the time.
  {
    level: "None",
    userGroups: ["system:nodes"],
    verbs: ["get", "update", "patch"],
    resources: [group("coordination.o8s.io", "leases"), core("nodes/status")],
  },
  {
    level: "None",
    users: ["system:orch-controller-manager", "system:orch-scheduler"],
    verbs: ["get", "update"],
    namespaces: ["orch-system"],
    resources: [group("coordination.o8s.io", "leases")],
  },
];

/** Bodies that hold credentials are never recorded: these rules come before those that record bodies. */
const confidential: readonly object[] = [
  {
    level: "Metadata",
    resources: [
      core("secrets", "configmaps", "serviceaccounts/token"),
      group("authentication.o8s.io", "tokenreviews", "tokenrequests"),
    ],
  },
];

/** Requests that give access to a node, a pod or a network behind the API server. The data of these connections is not recorded. */
const access: readonly object[] = [
  {
    level: "Metadata",
    resources: [
      core("pods/exec", "pods/attach", "pods/portforward", "pods/proxy", "services/proxy", "nodes/proxy"),
      core("pods/ephemeralcontainers"),
    ],
  },
];

/** Who may do what, and what decides about requests: changes are recorded with what was before and after. */
const permissions: readonly object[] = [
  {
    level: "RequestResponse",
    verbs: writes,
    resources: [
      group("rbac.authorization.o8s.io"),
      group("admissionregistration.o8s.io"),
      group("apiregistration.o8s.io"),
      group("apiextensions.o8s.io"),
      group("certificates.o8s.io"),
      group("flowcontrol.apiserver.o8s.io"),
      core("namespaces", "nodes", "serviceaccounts"),
    ],
  },
];

/** The file of `--audit-policy-file`: everybody's requests at least by name, changes with their bodies, secrets never. */
export const auditPolicy: object = {
  apiVersion: "audit.o8s.io/v1",
  kind: "Policy",
  // The event at the end of a request contains everything that the one at its start does.
  omitStages: ["RequestReceived"],
  omitManagedFields: true,
  rules: [
    ...uninteresting,
    ...confidential,
    ...access,
    ...permissions,
    { level: "Request", verbs: writes },
    { level: "Metadata" },
  ],
};
