import { type BootstrapBinding, bind } from "./binding.ts";

/** Cluster-wide bindings of the bootstrap roles. */
export const clusterBindings: readonly BootstrapBinding[] = [
  bind("cluster-admin", "ClusterRole/cluster-admin", ["Group:system:masters"]),
  bind("system:monitoring", "ClusterRole/system:monitoring", ["Group:system:monitoring"]),
  bind("system:discovery", "ClusterRole/system:discovery", ["Group:system:authenticated"]),
  bind("system:basic-user", "ClusterRole/system:basic-user", ["Group:system:authenticated"]),
  bind("system:public-info-viewer", "ClusterRole/system:public-info-viewer", [
    "Group:system:authenticated",
    "Group:system:unauthenticated",
  ]),
  bind("system:node-proxier", "ClusterRole/system:node-proxier", ["User:system:orch-proxy"]),
  bind("system:network-policy-enforcer", "ClusterRole/system:network-policy-enforcer", ["User:system:orch-proxy"]),
  bind("system:orch-controller-manager", "ClusterRole/system:orch-controller-manager", [
    "User:system:orch-controller-manager",
  ]),
  bind("system:orch-dns", "ClusterRole/system:orch-dns", ["ServiceAccount:orch-system/orch-dns"]),
  bind("system:orch-scheduler", "ClusterRole/system:orch-scheduler", ["User:system:orch-scheduler"]),
  bind("system:volume-scheduler", "ClusterRole/system:volume-scheduler", ["User:system:orch-scheduler"]),
  bind("system:node", "ClusterRole/system:node", []),
  bind("system:service-account-issuer-discovery", "ClusterRole/system:service-account-issuer-discovery", [
    "Group:system:serviceaccounts",
  ]),
];

/** Namespaced bindings, by namespace. */
export const namespaceBindings: Readonly<Record<string, readonly BootstrapBinding[]>> = {
  "orch-public": [
    bind("system:controller:bootstrap-signer", "Role/system:controller:bootstrap-signer", [
      "ServiceAccount:orch-system/bootstrap-signer",
    ]),
  ],
  "orch-system": [
    bind("system::extension-apiserver-authentication-reader", "Role/extension-apiserver-authentication-reader", [
      "User:system:orch-controller-manager",
      "User:system:orch-scheduler",
    ]),
    bind("system::leader-locking-orch-controller-manager", "Role/system::leader-locking-orch-controller-manager", [
      "User:system:orch-controller-manager",
      "ServiceAccount:orch-system/orch-controller-manager",
    ]),
    bind("system::leader-locking-orch-scheduler", "Role/system::leader-locking-orch-scheduler", [
      "User:system:orch-scheduler",
      "ServiceAccount:orch-system/orch-scheduler",
    ]),
    bind("system:controller:bootstrap-signer", "Role/system:controller:bootstrap-signer", [
      "ServiceAccount:orch-system/bootstrap-signer",
    ]),
    bind("system:controller:cloud-provider", "Role/system:controller:cloud-provider", [
      "ServiceAccount:orch-system/cloud-provider",
    ]),
    bind("system:controller:token-cleaner", "Role/system:controller:token-cleaner", [
      "ServiceAccount:orch-system/token-cleaner",
    ]),
  ],
};
