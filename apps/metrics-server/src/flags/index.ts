/**
 * The flags of metrics-server.
 *
 * @module
 */
import { parseLabelSelector } from "@orchernetes/apimachinery";
import {
  delegatedAuthFlags,
  flagSection,
  logFlags,
  metricFlags,
  serverAddressWanted,
  servingFlags,
} from "@orchernetes/component";

const collection = flagSection("Metrics server", {
  "metric-resolution": {
    type: "duration",
    default: "1m0s",
    min: 10_000,
    help: "Interval between two readings of the nodes' counters, at least 10s. Usage is the average between two readings.",
  },
  orchconfig: {
    type: "string",
    default: "",
    help: "Client configuration for the API server and the node agents. Without it, the configuration of a pod is used.",
  },
  master: {
    type: "string",
    default: "",
    validate: serverAddressWanted,
    help: "Address of the API server; overrides the one in --orchconfig.",
  },
});

const nodeAgents = flagSection("Node agents", {
  "orchlet-certificate-authority": {
    type: "string",
    default: "",
    help: "PEM file of the authorities that sign the serving certificates of node agents. Without it, those of --orchconfig are used.",
  },
  "orchlet-client-certificate": {
    type: "string",
    default: "",
    help: "PEM file of the certificate with which this server authenticates to node agents. Without it, the credentials of --orchconfig are used.",
  },
  "orchlet-client-key": {
    type: "string",
    default: "",
    help: "PEM file of the private key that belongs to --orchlet-client-certificate.",
  },
  "orchlet-insecure-tls": {
    type: "bool",
    default: false,
    help: "Does not verify the serving certificates of node agents; only for tests.",
  },
  "orchlet-port": {
    type: "int",
    default: 10250,
    min: 1,
    max: 65535,
    help: "Port of the node agents.",
  },
  "orchlet-preferred-address-types": {
    type: "strings",
    default: ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"],
    help: "Types of node addresses in the order in which they are preferred; a node is called at its first address of the first type that it has.",
  },
  "orchlet-request-timeout": {
    type: "duration",
    default: "10s",
    min: 1,
    help: "Time limit of a request to a node agent; at most nine tenths of --metric-resolution.",
  },
  "orchlet-use-node-status-port": {
    type: "bool",
    default: false,
    help: "Uses the port in the status of a node, if there is one, instead of --orchlet-port.",
  },
  "node-selector": {
    type: "string",
    short: "l",
    default: "",
    validate: selectorWanted,
    help: "Label selector of the nodes that are read and served, such as -l key1=value1,key2=value2.",
  },
});

function selectorWanted(text: string): string | undefined {
  try {
    parseLabelSelector(text);
    return undefined;
  } catch {
    return "a label selector such as key1=value1,key2!=value2";
  }
}

const debugging = flagSection("Debugging", {
  profiling: { type: "bool", default: true, help: "Serves profiles under /debug/pprof/." },
});

/** Every flag of metrics-server but `help` and `version`, which every daemon has. */
export const metricsServerFlags = {
  ...collection,
  ...nodeAgents,
  ...servingFlags({ port: 4443, minPort: 1, certDir: "" }),
  ...delegatedAuthFlags(false),
  ...debugging,
  ...metricFlags,
  ...logFlags,
};
