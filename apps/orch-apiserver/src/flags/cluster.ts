import { featureGateFlags, flagSection } from "@orchernetes/component";

const portRange = (text: string) => {
  const [, low, high] = /^(\d+)-(\d+)$/.exec(text) ?? [];
  const ordered = Number(low) <= Number(high) && Number(high) <= 65535 && Number(low) > 0;
  return ordered ? undefined : "two ports as LOW-HIGH, such as 30000-32767";
};

/** How pods, services and nodes of the cluster are treated. */
export const clusterSection = {
  ...featureGateFlags("Generic"),
  ...flagSection("API enablement", {
    "runtime-config": {
      type: "strings",
      default: [],
      help: "Built-in APIs to enable or disable, as key=true|false pairs. A key is v1 for the core group, group/version, group/version/resource, or one of api/all, api/ga, api/beta and api/alpha, which select several; the most specific key takes precedence.",
    },
  }),
  ...flagSection("Cloud provider", {
    "cloud-provider": {
      type: "string",
      default: "",
      help: "Name of the cloud provider: empty for none, or external if a cloud-controller-manager runs its loops. No provider is built in.",
    },
    "cloud-config": {
      type: "string",
      default: "",
      help: "Configuration file of a built-in cloud provider. Must be empty: it belongs to the cloud-controller-manager.",
    },
  }),
  ...flagSection("Misc", {
    "allow-privileged": { type: "bool", default: false, help: "Allows privileged containers." },
    "default-not-ready-toleration-seconds": {
      type: "int",
      default: 300,
      help: "Seconds that pods without their own toleration tolerate the taint notReady:NoExecute.",
    },
    "default-unreachable-toleration-seconds": {
      type: "int",
      default: 300,
      help: "Seconds that pods without their own toleration tolerate the taint unreachable:NoExecute.",
    },
    "endpoint-reconciler-type": {
      type: "string",
      default: "lease",
      oneOf: ["lease", "master-count", "none"],
      help: "How the endpoints of service orchernetes are reconciled (master-count is deprecated).",
    },
    "apiserver-count": {
      type: "int",
      default: 1,
      min: 1,
      hidden: true,
      deprecated: "the lease reconciler counts the servers itself",
      help: "Number of API servers in the cluster.",
    },
    "orchernetes-service-node-port": {
      type: "int",
      default: 0,
      min: 0,
      max: 65535,
      help: "Port of service orchernetes on every node; 0 makes it a service of type ClusterIP.",
    },
    "service-cluster-ip-range": {
      type: "string",
      default: "",
      help: "CIDR from which cluster IPs of services are allocated; two, one for each IP family, for dual stack. Must not overlap the ranges of nodes and pods.",
    },
    "service-node-port-range": {
      type: "string",
      default: "30000-32767",
      validate: portRange,
      help: "Range of ports for services of type NodePort, inclusive at both ends.",
    },
    "enable-logs-handler": {
      type: "bool",
      default: true,
      effect: "none",
      hidden: true,
      deprecated: "log files of the host are not served",
      help: "Serves /logs.",
    },
  }),
  ...flagSection("Node agent", {
    "orchlet-certificate-authority": {
      type: "string",
      default: "",
      help: "PEM bundle that verifies the certificates of node agents.",
    },
    "orchlet-client-certificate": { type: "string", default: "", help: "Client certificate for node agents." },
    "orchlet-client-key": {
      type: "string",
      default: "",
      help: "Private key that belongs to --orchlet-client-certificate.",
    },
    "orchlet-preferred-address-types": {
      type: "strings",
      default: ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"],
      oneOf: ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"],
      help: "Types of node addresses, in order of preference.",
    },
    "orchlet-timeout": {
      type: "duration",
      default: "5s",
      min: 1,
      help: "Timeout for connecting to a node agent, and for the start of its response.",
    },
    "orchlet-port": {
      type: "int",
      default: 10250,
      min: 1,
      max: 65535,
      effect: "none",
      hidden: true,
      deprecated: "nodes state their port",
      help: "Port of node agents.",
    },
    "orchlet-read-only-port": {
      type: "int",
      default: 10255,
      min: 0,
      max: 65535,
      effect: "none",
      hidden: true,
      deprecated: "the read-only port is not used",
      help: "Read-only port of node agents.",
    },
  }),
};
