import { flagSection } from "@orchernetes/component";

/** The controllers of volumes. */
export const storageSection = {
  ...flagSection("Attach detach controller", {
    "attach-detach-reconcile-sync-period": {
      type: "duration",
      default: "1m0s",
      min: 1001,
      effect: "none",
      help: "Time between two comparisons of attached volumes with wanted ones; more than one second.",
    },
    "disable-attach-detach-reconcile-sync": {
      type: "bool",
      default: false,
      effect: "none",
      help: "Never compares attached volumes with wanted ones; pods may then stay with stale volumes.",
    },
  }),
  ...flagSection("Ephemeral volume controller", {
    "concurrent-ephemeralvolume-syncs": {
      type: "int",
      default: 5,
      min: 1,
      effect: "none",
      help: "Ephemeral volumes worked on at once.",
    },
  }),
  ...flagSection("Persistent volume binder controller", {
    "pvclaimbinder-sync-period": {
      type: "duration",
      default: "15s",
      min: 1,
      help: "Time between two looks at volumes and claims.",
    },
    "enable-dynamic-provisioning": {
      type: "bool",
      default: true,
      help: "Makes volumes for claims that ask for a storage class.",
    },
    "enable-hostpath-provisioner": {
      type: "bool",
      default: false,
      help: "Makes volumes from directories of the host when there is no cloud provider; for testing on one node only.",
    },
    "flex-volume-plugin-dir": {
      type: "string",
      default: "/usr/libexec/orchernetes/orchlet-plugins/volume/exec/",
      effect: "none",
      help: "Directory searched for third-party volume plugins.",
    },
    "pv-recycler-minimum-timeout-nfs": {
      type: "int",
      default: 300,
      min: 0,
      help: "Least seconds a recycler pod for an NFS volume may run.",
    },
    "pv-recycler-increment-timeout-nfs": {
      type: "int",
      default: 30,
      min: 0,
      help: "Seconds a recycler pod for an NFS volume may run more for each Gi.",
    },
    "pv-recycler-pod-template-filepath-nfs": {
      type: "string",
      default: "",
      help: "Pod file used as the template of recyclers for NFS volumes.",
    },
    "pv-recycler-minimum-timeout-hostpath": {
      type: "int",
      default: 60,
      min: 0,
      help: "Least seconds a recycler pod for a host path may run; for development only.",
    },
    "pv-recycler-timeout-increment-hostpath": {
      type: "int",
      default: 30,
      min: 0,
      help: "Seconds a recycler pod for a host path may run more for each Gi; for development only.",
    },
    "pv-recycler-pod-template-filepath-hostpath": {
      type: "string",
      default: "",
      help: "Pod file used as the template of recyclers for host paths; for development only.",
    },
    "volume-host-cidr-denylist": {
      type: "strings",
      default: [],
      effect: "none",
      help: "Ranges that volume plugins must not reach.",
    },
    "volume-host-allow-local-loopback": {
      type: "bool",
      default: true,
      effect: "none",
      help: "Lets volume plugins reach loopback addresses.",
    },
  }),
};
