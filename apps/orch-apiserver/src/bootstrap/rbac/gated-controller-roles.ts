import type { FeatureName } from "@orchernetes/component";
import { allow, type BootstrapRole } from "./rule.ts";

/** A role of a controller that exists only with feature gates. */
interface GatedRole {
  /** All of them must be enabled. */
  readonly gates: readonly FeatureName[];
  readonly role: BootstrapRole;
}

/** Roles of controllers that run only with feature gates, named after their service accounts. */
export const gatedControllerRoles: readonly GatedRole[] = [
  {
    gates: ["StorageVersionAPI", "APIServerIdentity"],
    role: {
      name: "system:controller:storage-version-garbage-collector",
      rules: [
        allow(["get", "list", "watch"], ["coordination.o8s.io"], ["leases"]),
        allow(
          ["delete", "get", "list", "patch", "update", "watch"],
          ["internal.apiserver.o8s.io"],
          ["storageversions"],
        ),
        allow(["get", "patch", "update"], ["internal.apiserver.o8s.io"], ["storageversions/status"]),
      ],
    },
  },
  {
    gates: ["DynamicResourceAllocation"],
    role: {
      name: "system:controller:resource-claim-controller",
      rules: [
        allow(["get", "list", "watch"], [""], ["pods"]),
        allow(["update"], [""], ["pods/finalizers"]),
        allow(["create", "delete", "get", "list", "watch"], ["resource.o8s.io"], ["resourceclaims"]),
        allow(["patch", "update"], ["resource.o8s.io"], ["resourceclaims/status"]),
        allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
      ],
    },
  },
];
