import { flagSection } from "../flag.ts";
import { serverAddressWanted } from "../server-address.ts";
import { contentTypeFlag } from "./content-type-flag.ts";
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
        help: "YAML or JSON configuration file; flags on the command line override it.",
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
        help: "Enables profiles of blocking, if profiling is enabled.",
      },
    }),
    ...flagSection("Leader migration", {
      "enable-leader-migration": {
        field: "Generic.LeaderMigrationEnabled",
        type: "bool",
        default: false,
        help: "Enables the migration of single controllers between controller managers with a separate lock.",
      },
      "leader-migration-config": {
        type: "string",
        default: "",
        help: "File with a LeaderMigrationConfiguration; if it is not set, the default migration of the cloud controllers applies.",
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
        help: "Interval between starting controllers.",
      },
      "min-resync-period": {
        field: "Generic.MinResyncPeriod",
        type: "duration",
        default: "12h0m0s",
        min: 0,
        help: "Resync period of informers, which is a random time between this value and twice this value.",
      },
      "orch-api-qps": {
        field: "Generic.ClientConnection.qps",
        type: "float",
        default: 20,
        min: 0,
        help: "Queries per second to the API server.",
      },
      "orch-api-burst": {
        field: "Generic.ClientConnection.burst",
        type: "int",
        default: 30,
        min: 0,
        help: "Burst of queries to the API server.",
      },
      "orch-api-content-type": {
        field: "Generic.ClientConnection.contentType",
        ...contentTypeFlag,
      },
      "use-service-account-credentials": {
        field: "OrchCloudShared.UseServiceAccountCredentials",
        type: "bool",
        default: false,
        help: "Uses a separate service account for each controller.",
      },
      "node-monitor-period": {
        field: "OrchCloudShared.NodeMonitorPeriod",
        type: "duration",
        default: "5s",
        min: 1,
        help: "Interval between checks of the nodes' health.",
      },
    }),
    ...flagSection("Cloud provider", {
      "cloud-provider": {
        field: "OrchCloudShared.CloudProvider.Name",
        type: "string",
        default: "",
        help: "Cloud provider: local, grpc, or the absolute path of a module; empty means none.",
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
        hidden: true,
        deprecated: "tag the cloud instances with the cluster's name instead",
        help: "Allows running on cloud instances without a cluster tag.",
      },
      "allocate-node-cidrs": {
        field: "OrchCloudShared.AllocateNodeCIDRs",
        type: "bool",
        default: false,
        help: "Allocates pod ranges to nodes from --cluster-cidr.",
      },
      "cidr-allocator-type": {
        field: "OrchCloudShared.CIDRAllocatorType",
        type: "string",
        default: "RangeAllocator",
        oneOf: ["RangeAllocator", "CloudAllocator", "IPAMFromCluster", "IPAMFromCloud", "MultiCIDRRangeAllocator"],
        help: "How pod ranges are allocated.",
      },
      "cluster-cidr": {
        field: "OrchCloudShared.ClusterCIDR",
        type: "string",
        default: "",
        help: "Range of pod addresses; requires --allocate-node-cidrs. Two ranges, one for each IP family, for dual stack.",
      },
      "cluster-name": {
        field: "OrchCloudShared.ClusterName",
        type: "string",
        default: "orchernetes",
        help: "Prefix of the names of cloud instances.",
      },
      "configure-cloud-routes": {
        field: "OrchCloudShared.ConfigureCloudRoutes",
        type: "bool",
        default: true,
        help: "Configures routes in the cloud for the ranges allocated by --allocate-node-cidrs.",
      },
      "node-sync-period": {
        field: "OrchCloudShared.NodeSyncPeriod",
        type: "duration",
        default: "0s",
        effect: "none",
        hidden: true,
        deprecated: "it has no effect and will be removed",
        help: "Interval between synchronizations of the nodes with the cloud.",
      },
      "route-reconciliation-period": {
        field: "OrchCloudShared.RouteReconciliationPeriod",
        type: "duration",
        default: "10s",
        help: "Interval between synchronizations of the cloud's routes with the nodes.",
      },
      "concurrent-service-syncs": {
        field: "ServiceController.ConcurrentServiceSyncs",
        type: "int",
        default: 1,
        min: 1,
        help: "Number of services that the service controller syncs concurrently.",
      },
    }),
    ...flagSection("API connection", {
      orchconfig: {
        field: "Generic.ClientConnection.orchconfig",
        type: "string",
        default: "",
        help: "Client configuration file: how to reach the API server and authenticate to it.",
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
