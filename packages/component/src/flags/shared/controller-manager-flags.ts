import { flagSection } from "../flag.ts";
import { serverAddressWanted } from "../server-address.ts";
import { leaderElectionFlags } from "./leader-election-flags.ts";

/**
 * The flags both controller managers share: debugging, leader migration, generic, cloud, service controller.
 * @param name name of the daemon, default name of its lock object
 */
export function controllerManagerFlags<const Name extends string>(name: Name) {
  return {
    ...flagSection("Configuration file", {
      config: {
        type: "string",
        default: "",
        help: "YAML or JSON file with settings; flags on the command line win over it.",
      },
    }),
    ...flagSection("Debugging", {
      profiling: {
        field: "Generic.Debugging.enableProfiling",
        type: "bool",
        default: true,
        help: "Serves profiles under /debug/pprof/.",
      },
      "contention-profiling": {
        field: "Generic.Debugging.enableContentionProfiling",
        type: "bool",
        default: false,
        help: "Records where time is lost waiting, when profiling is on.",
      },
    }),
    ...flagSection("Leader migration", {
      "enable-leader-migration": {
        field: "Generic.LeaderMigrationEnabled",
        type: "bool",
        default: false,
        effect: "none",
        help: "Moves single controllers between controller managers under a lock of their own.",
      },
      "leader-migration-config": {
        type: "string",
        default: "",
        effect: "none",
        help: "File with a LeaderMigrationConfiguration; without it the default migration of the cloud controllers.",
      },
    }),
    ...leaderElectionFlags(name, "Generic.LeaderElection"),
    ...flagSection("Generic", {
      controllers: {
        field: "Generic.Controllers",
        type: "strings",
        default: ["*"],
        help: 'Controllers to run: "*" all that are on by default, "foo" that one, "-foo" not that one. The first entry for a name wins.',
      },
      "controller-start-interval": {
        field: "Generic.ControllerStartInterval",
        type: "duration",
        default: "0s",
        min: 0,
        help: "Time between the starts of two controllers.",
      },
      "min-resync-period": {
        field: "Generic.MinResyncPeriod",
        type: "duration",
        default: "12h0m0s",
        min: 0,
        help: "Informers go through all their objects again after a random time between this and twice this.",
      },
      "orch-api-qps": {
        field: "Generic.ClientConnection.qps",
        type: "float",
        default: 20,
        min: 0,
        help: "Requests a second to the API server.",
      },
      "orch-api-burst": {
        field: "Generic.ClientConnection.burst",
        type: "int",
        default: 30,
        min: 0,
        help: "Requests to the API server allowed at once.",
      },
      "orch-api-content-type": {
        field: "Generic.ClientConnection.contentType",
        type: "string",
        default: "application/vnd.orchernetes.protobuf",
        effect: "none",
        help: "Content type of requests to the API server.",
      },
      "use-service-account-credentials": {
        field: "OrchCloudShared.UseServiceAccountCredentials",
        type: "bool",
        default: false,
        help: "Gives every controller a service account of its own.",
      },
      "node-monitor-period": {
        field: "OrchCloudShared.NodeMonitorPeriod",
        type: "duration",
        default: "5s",
        min: 1,
        help: "Time between two looks at the health of the nodes.",
      },
    }),
    ...flagSection("Cloud provider", {
      "cloud-provider": {
        field: "OrchCloudShared.CloudProvider.Name",
        type: "string",
        default: "",
        help: "Name of the cloud provider; empty means none.",
      },
      "cloud-config": {
        field: "OrchCloudShared.CloudProvider.CloudConfigFile",
        type: "string",
        default: "",
        help: "Configuration file of the cloud provider.",
      },
      "external-cloud-volume-plugin": {
        field: "OrchCloudShared.ExternalCloudVolumePlugin",
        type: "string",
        default: "",
        effect: "none",
        help: 'Volume plugin to use when --cloud-provider is "external".',
      },
      "allow-untagged-cloud": {
        field: "OrchCloudShared.AllowUntaggedCloud",
        type: "bool",
        default: false,
        effect: "none",
        hidden: true,
        deprecated: "tag the cloud instances with the cluster's name instead",
        help: "Runs on cloud instances that bear no cluster tag.",
      },
      "allocate-node-cidrs": {
        field: "OrchCloudShared.AllocateNodeCIDRs",
        type: "bool",
        default: false,
        effect: "none",
        help: "Allocates pod ranges to nodes out of --cluster-cidr.",
      },
      "cidr-allocator-type": {
        field: "OrchCloudShared.CIDRAllocatorType",
        type: "string",
        default: "RangeAllocator",
        oneOf: ["RangeAllocator", "CloudAllocator", "IPAMFromCluster", "IPAMFromCloud"],
        effect: "none",
        help: "How pod ranges are allocated.",
      },
      "cluster-cidr": {
        field: "OrchCloudShared.ClusterCIDR",
        type: "string",
        default: "",
        effect: "none",
        help: "Range of pod addresses; needs --allocate-node-cidrs. Two ranges, one for each IP family, for dual stack.",
      },
      "cluster-name": {
        field: "OrchCloudShared.ClusterName",
        type: "string",
        default: "orchernetes",
        effect: "none",
        help: "Prefix of the names of cloud instances.",
      },
      "configure-cloud-routes": {
        field: "OrchCloudShared.ConfigureCloudRoutes",
        type: "bool",
        default: true,
        effect: "none",
        help: "Has the cloud route the ranges given out by --allocate-node-cidrs.",
      },
      "node-sync-period": {
        field: "OrchCloudShared.NodeSyncPeriod",
        type: "duration",
        default: "0s",
        effect: "none",
        hidden: true,
        deprecated: "it has no effect and will be removed",
        help: "Time between two comparisons of the nodes with the cloud.",
      },
      "route-reconciliation-period": {
        field: "OrchCloudShared.RouteReconciliationPeriod",
        type: "duration",
        default: "10s",
        effect: "none",
        help: "Time between two comparisons of the cloud's routes with the nodes.",
      },
      "concurrent-service-syncs": {
        field: "ServiceController.ConcurrentServiceSyncs",
        type: "int",
        default: 1,
        min: 1,
        effect: "none",
        help: "Services the service controller works on at once.",
      },
    }),
    ...flagSection("API connection", {
      orchconfig: {
        field: "Generic.ClientConnection.orchconfig",
        type: "string",
        default: "",
        help: "Client configuration: where the API server is and how to authenticate to it.",
      },
      master: {
        type: "string",
        default: "",
        validate: serverAddressWanted,
        help: "Address of the API server; overrides the one in --orchconfig.",
      },
    }),
  };
}
