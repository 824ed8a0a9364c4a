import { allow, type BootstrapRole } from "./rule.ts";

/** One role per controller, named after its service account. */
export const controllerRoles: readonly BootstrapRole[] = [
  {
    name: "system:controller:attachdetach-controller",
    rules: [
      allow(["list", "watch"], [""], ["persistentvolumeclaims", "persistentvolumes"]),
      allow(["get", "list", "watch"], [""], ["nodes"]),
      allow(["patch", "update"], [""], ["nodes/status"]),
      allow(["list", "watch"], [""], ["pods"]),
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
      allow(["create", "delete", "get", "list", "watch"], ["storage.o8s.io"], ["volumeattachments"]),
      allow(["get", "list", "watch"], ["storage.o8s.io"], ["csidrivers"]),
      allow(["get", "list", "watch"], ["storage.o8s.io"], ["csinodes"]),
    ],
  },
  {
    name: "system:controller:clusterrole-aggregation-controller",
    rules: [
      allow(["escalate", "get", "list", "patch", "update", "watch"], ["rbac.authorization.o8s.io"], ["clusterroles"]),
    ],
  },
  {
    name: "system:controller:cronjob-controller",
    rules: [
      allow(["get", "list", "update", "watch"], ["batch"], ["cronjobs"]),
      allow(["create", "delete", "get", "list", "patch", "update", "watch"], ["batch"], ["jobs"]),
      allow(["update"], ["batch"], ["cronjobs/status"]),
      allow(["update"], ["batch"], ["cronjobs/finalizers"]),
      allow(["delete", "list"], [""], ["pods"]),
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
    ],
  },
  {
    name: "system:controller:daemon-set-controller",
    rules: [
      allow(["get", "list", "watch"], ["apps", "extensions"], ["daemonsets"]),
      allow(["update"], ["apps", "extensions"], ["daemonsets/status"]),
      allow(["update"], ["apps", "extensions"], ["daemonsets/finalizers"]),
      allow(["list", "watch"], [""], ["nodes"]),
      allow(["create", "delete", "list", "patch", "watch"], [""], ["pods"]),
      allow(["create"], [""], ["pods/binding"]),
      allow(["create", "delete", "get", "list", "patch", "update", "watch"], ["apps"], ["controllerrevisions"]),
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
    ],
  },
  {
    name: "system:controller:deployment-controller",
    rules: [
      allow(["get", "list", "update", "watch"], ["apps", "extensions"], ["deployments"]),
      allow(["update"], ["apps", "extensions"], ["deployments/status"]),
      allow(["update"], ["apps", "extensions"], ["deployments/finalizers"]),
      allow(["create", "delete", "get", "list", "patch", "update", "watch"], ["apps", "extensions"], ["replicasets"]),
      allow(["get", "list", "update", "watch"], [""], ["pods"]),
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
    ],
  },
  {
    name: "system:controller:disruption-controller",
    rules: [
      allow(["get", "list", "watch"], ["apps", "extensions"], ["deployments"]),
      allow(["get", "list", "watch"], ["apps", "extensions"], ["replicasets"]),
      allow(["get", "list", "watch"], [""], ["replicationcontrollers"]),
      allow(["get", "list", "watch"], ["policy"], ["poddisruptionbudgets"]),
      allow(["get", "list", "watch"], ["apps"], ["statefulsets"]),
      allow(["update"], ["policy"], ["poddisruptionbudgets/status"]),
      allow(["get"], ["*"], ["*/scale"]),
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
      allow(["patch", "update"], [""], ["pods/status"]),
    ],
  },
  {
    name: "system:controller:endpoint-controller",
    rules: [
      allow(["get", "list", "watch"], [""], ["pods", "services"]),
      allow(["create", "delete", "get", "list", "update"], [""], ["endpoints"]),
      allow(["create"], [""], ["endpoints/restricted"]),
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
    ],
  },
  {
    name: "system:controller:endpointslice-controller",
    rules: [
      allow(["get", "list", "watch"], [""], ["nodes", "pods", "services"]),
      allow(["update"], [""], ["services/finalizers"]),
      allow(["create", "delete", "get", "list", "update"], ["discovery.o8s.io"], ["endpointslices"]),
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
    ],
  },
  {
    name: "system:controller:endpointslicemirroring-controller",
    rules: [
      allow(["get", "list", "watch"], [""], ["endpoints", "services"]),
      allow(["update"], [""], ["services/finalizers"]),
      allow(["update"], [""], ["endpoints/finalizers"]),
      allow(["create", "delete", "get", "list", "update"], ["discovery.o8s.io"], ["endpointslices"]),
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
    ],
  },
  {
    name: "system:controller:expand-controller",
    rules: [
      allow(["get", "list", "patch", "update", "watch"], [""], ["persistentvolumes"]),
      allow(["patch", "update"], [""], ["persistentvolumeclaims/status"]),
      allow(["get", "list", "watch"], [""], ["persistentvolumeclaims"]),
      allow(["get", "list", "watch"], ["storage.o8s.io"], ["storageclasses"]),
      allow(["get"], [""], ["endpoints", "services"]),
      allow(["get"], [""], ["secrets"]),
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
    ],
  },
  {
    name: "system:controller:ephemeral-volume-controller",
    rules: [
      allow(["get", "list", "watch"], [""], ["pods"]),
      allow(["update"], [""], ["pods/finalizers"]),
      allow(["create", "get", "list", "watch"], [""], ["persistentvolumeclaims"]),
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
    ],
  },
  {
    name: "system:controller:generic-garbage-collector",
    rules: [
      allow(["delete", "get", "list", "patch", "update", "watch"], ["*"], ["*"]),
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
    ],
  },
  {
    name: "system:controller:horizontal-pod-autoscaler",
    rules: [
      allow(["get", "list", "watch"], ["autoscaling"], ["horizontalpodautoscalers"]),
      allow(["update"], ["autoscaling"], ["horizontalpodautoscalers/status"]),
      allow(["get", "update"], ["*"], ["*/scale"]),
      allow(["list"], [""], ["pods"]),
      allow(["list"], ["metrics.o8s.io"], ["pods"]),
      allow(["get", "list"], ["custom.metrics.o8s.io"], ["*"]),
      allow(["get", "list"], ["external.metrics.o8s.io"], ["*"]),
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
    ],
  },
  {
    name: "system:controller:job-controller",
    rules: [
      allow(["get", "list", "patch", "update", "watch"], ["batch"], ["jobs"]),
      allow(["update"], ["batch"], ["jobs/status"]),
      allow(["update"], ["batch"], ["jobs/finalizers"]),
      allow(["create", "delete", "list", "patch", "watch"], [""], ["pods"]),
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
    ],
  },
  {
    name: "system:controller:namespace-controller",
    rules: [
      allow(["delete", "get", "list", "watch"], [""], ["namespaces"]),
      allow(["update"], [""], ["namespaces/finalize", "namespaces/status"]),
      allow(["delete", "deletecollection", "get", "list"], ["*"], ["*"]),
    ],
  },
  {
    name: "system:controller:node-controller",
    rules: [
      allow(["delete", "get", "list", "patch", "update"], [""], ["nodes"]),
      allow(["patch", "update"], [""], ["nodes/status"]),
      allow(["patch", "update"], [""], ["pods/status"]),
      allow(["delete", "list"], [""], ["pods"]),
      allow(["create", "get", "list", "update"], ["networking.o8s.io"], ["clustercidrs"]),
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
      allow(["get"], [""], ["pods"]),
    ],
  },
  {
    name: "system:controller:persistent-volume-binder",
    rules: [
      allow(["create", "delete", "get", "list", "update", "watch"], [""], ["persistentvolumes"]),
      allow(["update"], [""], ["persistentvolumes/status"]),
      allow(["get", "list", "update", "watch"], [""], ["persistentvolumeclaims"]),
      allow(["update"], [""], ["persistentvolumeclaims/status"]),
      allow(["create", "delete", "get", "list", "watch"], [""], ["pods"]),
      allow(["get", "list", "watch"], ["storage.o8s.io"], ["storageclasses"]),
      allow(["create", "delete", "get", "update"], [""], ["endpoints"]),
      allow(["create", "delete", "get"], [""], ["services"]),
      allow(["get"], [""], ["secrets"]),
      allow(["get", "list"], [""], ["nodes"]),
      // Beyond the original: the provisioner of local paths asks the agents of nodes to remove folders.
      allow(["patch"], [""], ["nodes/status"]),
      allow(["watch"], [""], ["events"]),
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
    ],
  },
  {
    name: "system:controller:pod-garbage-collector",
    rules: [
      allow(["delete", "list", "watch"], [""], ["pods"]),
      allow(["get", "list"], [""], ["nodes"]),
      allow(["patch"], [""], ["pods/status"]),
    ],
  },
  {
    name: "system:controller:replicaset-controller",
    rules: [
      allow(["get", "list", "update", "watch"], ["apps", "extensions"], ["replicasets"]),
      allow(["update"], ["apps", "extensions"], ["replicasets/status"]),
      allow(["update"], ["apps", "extensions"], ["replicasets/finalizers"]),
      allow(["create", "delete", "list", "patch", "watch"], [""], ["pods"]),
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
    ],
  },
  {
    name: "system:controller:replication-controller",
    rules: [
      allow(["get", "list", "update", "watch"], [""], ["replicationcontrollers"]),
      allow(["update"], [""], ["replicationcontrollers/status"]),
      allow(["update"], [""], ["replicationcontrollers/finalizers"]),
      allow(["create", "delete", "list", "patch", "watch"], [""], ["pods"]),
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
    ],
  },
  {
    name: "system:controller:resourcequota-controller",
    rules: [
      allow(["list", "watch"], ["*"], ["*"]),
      allow(["update"], [""], ["resourcequotas/status"]),
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
    ],
  },
  {
    name: "system:controller:route-controller",
    rules: [
      allow(["list", "watch"], [""], ["nodes"]),
      allow(["patch"], [""], ["nodes/status"]),
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
    ],
  },
  {
    name: "system:controller:service-account-controller",
    rules: [
      allow(["create"], [""], ["serviceaccounts"]),
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
    ],
  },
  {
    name: "system:controller:service-controller",
    rules: [
      allow(["get", "list", "watch"], [""], ["services"]),
      allow(["patch", "update"], [""], ["services/status"]),
      allow(["list", "watch"], [""], ["nodes"]),
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
    ],
  },
  {
    name: "system:controller:statefulset-controller",
    rules: [
      allow(["list", "watch"], [""], ["pods"]),
      allow(["get", "list", "watch"], ["apps"], ["statefulsets"]),
      allow(["update"], ["apps"], ["statefulsets/status"]),
      allow(["update"], ["apps"], ["statefulsets/finalizers"]),
      allow(["create", "delete", "get", "patch", "update"], [""], ["pods"]),
      allow(["create", "delete", "get", "list", "patch", "update", "watch"], ["apps"], ["controllerrevisions"]),
      allow(["create", "get"], [""], ["persistentvolumeclaims"]),
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
      allow(["delete", "update"], [""], ["persistentvolumeclaims"]),
    ],
  },
  {
    name: "system:controller:ttl-controller",
    rules: [
      allow(["list", "patch", "update", "watch"], [""], ["nodes"]),
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
    ],
  },
  {
    name: "system:controller:certificate-controller",
    rules: [
      allow(["delete", "get", "list", "watch"], ["certificates.o8s.io"], ["certificatesigningrequests"]),
      allow(
        ["update"],
        ["certificates.o8s.io"],
        ["certificatesigningrequests/approval", "certificatesigningrequests/status"],
      ),
      allow(["approve"], ["certificates.o8s.io"], ["signers"], ["orchernetes.io/orch-apiserver-client-orchlet"]),
      allow(
        ["sign"],
        ["certificates.o8s.io"],
        ["signers"],
        [
          "orchernetes.io/orch-apiserver-client",
          "orchernetes.io/orch-apiserver-client-orchlet",
          "orchernetes.io/orchlet-serving",
          "orchernetes.io/legacy-unknown",
        ],
      ),
      allow(["create"], ["authorization.o8s.io"], ["subjectaccessreviews"]),
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
    ],
  },
  {
    name: "system:controller:pvc-protection-controller",
    rules: [
      allow(["get", "list", "update", "watch"], [""], ["persistentvolumeclaims"]),
      allow(["get", "list", "watch"], [""], ["pods"]),
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
    ],
  },
  {
    name: "system:controller:pv-protection-controller",
    rules: [
      allow(["get", "list", "update", "watch"], [""], ["persistentvolumes"]),
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
    ],
  },
  {
    name: "system:controller:ttl-after-finished-controller",
    rules: [
      allow(["delete", "get", "list", "watch"], ["batch"], ["jobs"]),
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
    ],
  },
  {
    name: "system:controller:root-ca-cert-publisher",
    rules: [
      allow(["create", "update"], [""], ["configmaps"]),
      allow(["create", "patch", "update"], ["", "events.o8s.io"], ["events"]),
    ],
  },
];
