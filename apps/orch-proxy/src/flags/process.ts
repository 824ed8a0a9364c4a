import { contentTypeFlag, flagSection, serverAddressWanted } from "@orchernetes/component";

const files = flagSection("Files", {
  config: {
    type: "string",
    default: "",
    help: "Configuration file (OrchProxyConfiguration); flags on the command line override it.",
  },
  "write-config-to": {
    type: "string",
    default: "",
    help: "Writes the effective configuration to this file and exits.",
  },
  cleanup: {
    type: "bool",
    default: false,
    help: "Removes this daemon's packet filter rules and network interface, and exits.",
  },
});

const client = flagSection("API connection", {
  orchconfig: {
    field: "clientConnection.orchconfig",
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
  "orch-api-qps": {
    field: "clientConnection.qps",
    type: "float",
    default: 5,
    min: 0,
    help: "Queries per second to the API server.",
  },
  "orch-api-burst": {
    field: "clientConnection.burst",
    type: "int",
    default: 10,
    min: 0,
    help: "Burst of queries to the API server.",
  },
  "orch-api-content-type": {
    field: "clientConnection.contentType",
    ...contentTypeFlag,
  },
  "config-sync-period": {
    field: "configSyncPeriod",
    type: "duration",
    default: "15m0s",
    min: 1,
    help: "Interval at which all services and endpoints are processed again, even if they have not changed.",
  },
});

const node = flagSection("Node", {
  "hostname-override": {
    field: "hostnameOverride",
    type: "string",
    default: "",
    help: "Name of the node instead of the host's name.",
  },
  "oom-score-adj": {
    field: "oomScoreAdj",
    type: "int",
    default: -999,
    min: -1000,
    max: 1000,
    help: "OOM score adjustment of this process: the kernel kills processes with a low value last when memory runs out.",
  },
});

/** The process and its connection to the API server. */
export const processSection = { ...files, ...client, ...node };
