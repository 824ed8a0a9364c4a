import { allow, type BootstrapRole, urls } from "./rule.ts";

/** Roles of the system components and of every authenticated or anonymous client. */
export const componentRoles: readonly BootstrapRole[] = [
  {
    name: "system:discovery",
    rules: [
      urls(
        ["get"],
        [
          "/api",
          "/api/*",
          "/apis",
          "/apis/*",
          "/healthz",
          "/livez",
          "/openapi",
          "/openapi/*",
          "/readyz",
          "/version",
          "/version/",
        ],
      ),
    ],
  },
  {
    name: "system:monitoring",
    rules: [
      urls(
        ["get"],
        ["/healthz", "/healthz/*", "/livez", "/livez/*", "/metrics", "/metrics/slis", "/readyz", "/readyz/*"],
      ),
    ],
  },
  {
    name: "system:basic-user",
    rules: [
      allow(["create"], ["authorization.o8s.io"], ["selfsubjectaccessreviews", "selfsubjectrulesreviews"]),
      allow(["create"], ["authentication.o8s.io"], ["selfsubjectreviews"]),
    ],
  },
  {
    name: "system:public-info-viewer",
    rules: [urls(["get"], ["/healthz", "/livez", "/readyz", "/version", "/version/"])],
  },
  {
    name: "system:heapster",
    rules: [
      allow(["get", "list", "watch"], [""], ["events", "namespaces", "nodes", "pods"]),
      allow(["get", "list", "watch"], ["extensions"], ["deployments"]),
    ],
  },
  {
    name: "system:node",
    rules: [
      allow(["create"], ["authentication.o8s.io"], ["tokenreviews"]),
      allow(["create"], ["authorization.o8s.io"], ["localsubjectaccessreviews", "subjectaccessreviews"]),
      allow(["get", "list", "watch"], [""], ["services"]),
      allow(["create", "get", "list", "watch"], [""], ["nodes"]),
      allow(["patch", "update"], [""], ["nodes/status"]),
      allow(["patch", "update"], [""], ["nodes"]),
      allow(["create", "patch", "update"], [""], ["events"]),
      allow(["get", "list", "watch"], [""], ["pods"]),
      allow(["create", "delete"], [""], ["pods"]),
      allow(["patch", "update"], [""], ["pods/status"]),
      allow(["create"], [""], ["pods/eviction"]),
      allow(["get", "list", "watch"], [""], ["configmaps", "secrets"]),
      allow(["get"], [""], ["persistentvolumeclaims", "persistentvolumes"]),
      allow(["get"], [""], ["endpoints"]),
      allow(["create", "get", "list", "watch"], ["certificates.o8s.io"], ["certificatesigningrequests"]),
      allow(["create", "delete", "get", "patch", "update"], ["coordination.o8s.io"], ["leases"]),
      allow(["get"], ["storage.o8s.io"], ["volumeattachments"]),
      allow(["create"], [""], ["serviceaccounts/token"]),
      allow(["get", "patch", "update"], [""], ["persistentvolumeclaims/status"]),
      allow(["get", "list", "watch"], ["storage.o8s.io"], ["csidrivers"]),
      allow(["create", "delete", "get", "patch", "update"], ["storage.o8s.io"], ["csinodes"]),
      allow(["get", "list", "watch"], ["node.o8s.io"], ["runtimeclasses"]),
    ],
  },
  {
    name: "system:node-problem-detector",
    rules: [
      allow(["get"], [""], ["nodes"]),
      allow(["patch"], [""], ["nodes/status"]),
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
    ],
  },
  {
    name: "system:orchlet-api-admin",
    rules: [
      allow(["get", "list", "watch"], [""], ["nodes"]),
      allow(["proxy"], [""], ["nodes"]),
      allow(["*"], [""], ["nodes/log", "nodes/metrics", "nodes/proxy", "nodes/stats"]),
    ],
  },
  {
    name: "system:node-bootstrapper",
    rules: [allow(["create", "get", "list", "watch"], ["certificates.o8s.io"], ["certificatesigningrequests"])],
  },
  {
    name: "system:auth-delegator",
    rules: [
      allow(["create"], ["authentication.o8s.io"], ["tokenreviews"]),
      allow(["create"], ["authorization.o8s.io"], ["subjectaccessreviews"]),
    ],
  },
  { name: "system:orch-aggregator", rules: [allow(["get", "list", "watch"], [""], ["endpoints", "services"])] },
  {
    name: "system:orch-controller-manager",
    rules: [
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
      allow(["create"], ["coordination.o8s.io"], ["leases"]),
      allow(["get", "update"], ["coordination.o8s.io"], ["leases"], ["orch-controller-manager"]),
      allow(["create"], [""], ["endpoints"]),
      allow(["get", "update"], [""], ["endpoints"], ["orch-controller-manager"]),
      allow(["create"], [""], ["secrets", "serviceaccounts"]),
      allow(["delete"], [""], ["secrets"]),
      allow(["get"], [""], ["configmaps", "namespaces", "secrets", "serviceaccounts"]),
      allow(["update"], [""], ["secrets", "serviceaccounts"]),
      allow(["create"], ["authentication.o8s.io"], ["tokenreviews"]),
      allow(["create"], ["authorization.o8s.io"], ["subjectaccessreviews"]),
      allow(["list", "watch"], ["*"], ["*"]),
      allow(["create"], [""], ["serviceaccounts/token"]),
    ],
  },
  { name: "system:orch-dns", rules: [allow(["list", "watch"], [""], ["endpoints", "services"])] },
  {
    name: "system:persistent-volume-provisioner",
    rules: [
      allow(["create", "delete", "get", "list", "watch"], [""], ["persistentvolumes"]),
      allow(["get", "list", "update", "watch"], [""], ["persistentvolumeclaims"]),
      allow(["get", "list", "watch"], ["storage.o8s.io"], ["storageclasses"]),
      allow(["watch"], [""], ["events"]),
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
    ],
  },
  {
    name: "system:certificates.o8s.io:certificatesigningrequests:nodeclient",
    rules: [allow(["create"], ["certificates.o8s.io"], ["certificatesigningrequests/nodeclient"])],
  },
  {
    name: "system:certificates.o8s.io:certificatesigningrequests:selfnodeclient",
    rules: [allow(["create"], ["certificates.o8s.io"], ["certificatesigningrequests/selfnodeclient"])],
  },
  {
    name: "system:volume-scheduler",
    rules: [
      allow(["get", "list", "patch", "update", "watch"], [""], ["persistentvolumes"]),
      allow(["get", "list", "watch"], ["storage.o8s.io"], ["storageclasses"]),
      allow(["get", "list", "patch", "update", "watch"], [""], ["persistentvolumeclaims"]),
    ],
  },
  {
    name: "system:certificates.o8s.io:legacy-unknown-approver",
    rules: [allow(["approve"], ["certificates.o8s.io"], ["signers"], ["orchernetes.io/legacy-unknown"])],
  },
  {
    name: "system:certificates.o8s.io:orchlet-serving-approver",
    rules: [allow(["approve"], ["certificates.o8s.io"], ["signers"], ["orchernetes.io/orchlet-serving"])],
  },
  {
    name: "system:certificates.o8s.io:orch-apiserver-client-approver",
    rules: [allow(["approve"], ["certificates.o8s.io"], ["signers"], ["orchernetes.io/orch-apiserver-client"])],
  },
  {
    name: "system:certificates.o8s.io:orch-apiserver-client-orchlet-approver",
    rules: [allow(["approve"], ["certificates.o8s.io"], ["signers"], ["orchernetes.io/orch-apiserver-client-orchlet"])],
  },
  {
    name: "system:service-account-issuer-discovery",
    rules: [urls(["get"], ["/.well-known/openid-configuration", "/openid/v1/jwks"])],
  },
  {
    name: "system:node-proxier",
    rules: [
      allow(["list", "watch"], [""], ["endpoints", "services"]),
      allow(["get", "list", "watch"], [""], ["nodes"]),
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
      allow(["list", "watch"], ["discovery.o8s.io"], ["endpointslices"]),
    ],
  },
  {
    // Own: the original leaves network policies to network plugins, which bring roles of their own.
    name: "system:network-policy-enforcer",
    rules: [
      allow(["list", "watch"], [""], ["namespaces", "pods"]),
      allow(["list", "watch"], ["networking.o8s.io"], ["networkpolicies"]),
    ],
  },
  {
    name: "system:orch-scheduler",
    rules: [
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
      allow(["create"], ["coordination.o8s.io"], ["leases"]),
      allow(["get", "update"], ["coordination.o8s.io"], ["leases"], ["orch-scheduler"]),
      allow(["create"], [""], ["endpoints"]),
      allow(["get", "update"], [""], ["endpoints"], ["orch-scheduler"]),
      allow(["get", "list", "watch"], [""], ["nodes"]),
      allow(["delete", "get", "list", "watch"], [""], ["pods"]),
      allow(["create"], [""], ["bindings", "pods/binding"]),
      allow(["patch", "update"], [""], ["pods/status"]),
      allow(["get", "list", "watch"], [""], ["replicationcontrollers", "services"]),
      allow(["get", "list", "watch"], ["apps", "extensions"], ["replicasets"]),
      allow(["get", "list", "watch"], ["apps"], ["statefulsets"]),
      allow(["get", "list", "watch"], ["policy"], ["poddisruptionbudgets"]),
      allow(["get", "list", "watch"], [""], ["persistentvolumeclaims", "persistentvolumes"]),
      allow(["create"], ["authentication.o8s.io"], ["tokenreviews"]),
      allow(["create"], ["authorization.o8s.io"], ["subjectaccessreviews"]),
      allow(["get", "list", "watch"], ["storage.o8s.io"], ["csinodes"]),
      allow(["get", "list", "watch"], [""], ["namespaces"]),
      allow(["get", "list", "watch"], ["storage.o8s.io"], ["csidrivers"]),
      allow(["get", "list", "watch"], ["storage.o8s.io"], ["csistoragecapacities"]),
    ],
  },
];
