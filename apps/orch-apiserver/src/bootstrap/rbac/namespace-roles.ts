import { allow, type BootstrapRole } from "./rule.ts";

/** Namespaced roles, by namespace. */
export const namespaceRoles: Readonly<Record<string, readonly BootstrapRole[]>> = {
  "orch-public": [
    {
      name: "system:controller:bootstrap-signer",
      rules: [
        allow(["get", "list", "watch"], [""], ["configmaps"]),
        allow(["update"], [""], ["configmaps"], ["cluster-info"]),
        allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
      ],
    },
  ],
  "orch-system": [
    {
      name: "extension-apiserver-authentication-reader",
      rules: [allow(["get", "list", "watch"], [""], ["configmaps"], ["extension-apiserver-authentication"])],
    },
    { name: "system:controller:bootstrap-signer", rules: [allow(["get", "list", "watch"], [""], ["secrets"])] },
    {
      name: "system:controller:cloud-provider",
      rules: [allow(["create", "get", "list", "watch"], [""], ["configmaps"])],
    },
    {
      name: "system:controller:token-cleaner",
      rules: [
        allow(["delete", "get", "list", "watch"], [""], ["secrets"]),
        allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
      ],
    },
    {
      name: "system::leader-locking-orch-controller-manager",
      rules: [
        allow(["watch"], [""], ["configmaps"]),
        allow(["get", "update"], [""], ["configmaps"], ["orch-controller-manager"]),
      ],
    },
    {
      name: "system::leader-locking-orch-scheduler",
      rules: [
        allow(["watch"], [""], ["configmaps"]),
        allow(["get", "update"], [""], ["configmaps"], ["orch-scheduler"]),
      ],
    },
  ],
};
