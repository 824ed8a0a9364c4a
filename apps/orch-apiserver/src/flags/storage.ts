import { flagSection } from "@orchernetes/component";

/** Where objects are kept. */
export const storageSection = flagSection("Storage", {
  "storage-backend": {
    type: "string",
    default: "etcd3",
    oneOf: ["etcd3", "embedded"],
    help: "Store of the API objects: an etcd cluster, or a database embedded in this process.",
  },
  "embedded-store-path": {
    type: "string",
    default: "",
    help: "Directory of the embedded store; required with --storage-backend=embedded.",
  },
  "storage-media-type": {
    type: "string",
    default: "application/vnd.orchernetes.protobuf",
    oneOf: ["application/json", "application/yaml", "application/vnd.orchernetes.protobuf"],
    help: "Media type in which objects are stored, if the flag is set; otherwise they are stored as JSON, which is cheaper for this server. All media types can be read.",
  },
  "etcd-servers": {
    type: "strings",
    default: [],
    help: "etcd servers as scheme://host:port; required with --storage-backend=etcd3.",
  },
  "etcd-servers-overrides": {
    type: "strings",
    default: [],
    help: "Overrides of the etcd servers for single resources, as group/resource#servers with semicolons between the servers.",
  },
  "etcd-prefix": { type: "string", default: "/registry", help: "Prefix of all keys in the store." },
  "etcd-cafile": {
    type: "string",
    default: "",
    help: "PEM bundle that verifies the certificates of the etcd servers.",
  },
  "etcd-certfile": { type: "string", default: "", help: "Client certificate for the etcd servers." },
  "etcd-keyfile": { type: "string", default: "", help: "Private key that belongs to --etcd-certfile." },
  "etcd-compaction-interval": {
    type: "duration",
    default: "5m0s",
    min: 0,
    help: "Interval between compactions of the history; 0 disables compaction by this server.",
  },
  "etcd-count-metric-poll-period": {
    type: "duration",
    default: "1m0s",
    min: 0,
    help: "How often objects are counted for the metrics; 0 disables it.",
  },
  "etcd-db-metric-poll-interval": {
    type: "duration",
    default: "30s",
    min: 0,
    help: "How often the size of the database is read for the metrics; 0 disables it.",
  },
  "etcd-healthcheck-timeout": {
    type: "duration",
    default: "2s",
    min: 1,
    help: "Timeout of the store check of /healthz and /livez.",
  },
  "etcd-readycheck-timeout": {
    type: "duration",
    default: "2s",
    min: 1,
    help: "Timeout of the store check of /readyz.",
  },
  "encryption-provider-config": {
    type: "string",
    default: "",
    help: "File with the configuration of encryption of secrets and other resources in the store.",
  },
  "encryption-provider-config-automatic-reload": {
    type: "bool",
    default: false,
    help: "Reloads --encryption-provider-config when it changes. All key services then share one health check.",
  },
  "watch-cache": {
    type: "bool",
    default: true,
    help: "Serves reads and watches from a cache in memory; if disabled, they go to the store.",
  },
  "watch-cache-sizes": {
    type: "strings",
    default: [],
    help: "Cache sizes of single resources as resource.group#size; only 0, which disables the cache, has an effect.",
  },
  "default-watch-cache-size": {
    type: "int",
    default: 100,
    min: 0,
    effect: "none",
    hidden: true,
    deprecated: "caches grow as needed",
    help: "Size of the cache of each resource.",
  },
  "lease-reuse-duration-seconds": {
    type: "int",
    default: 60,
    min: 1,
    help: "Seconds for which an etcd lease is reused for objects that expire; short times create more leases.",
  },
  "event-ttl": { type: "duration", default: "1h0m0s", min: 1000, help: "How long events are kept." },
  "delete-collection-workers": {
    type: "int",
    default: 1,
    min: 1,
    help: "Number of workers that delete a collection; more workers empty namespaces faster.",
  },
  "enable-garbage-collector": {
    type: "bool",
    default: true,
    help: "Enables the garbage collector; must match the flag of the controller manager. If disabled, deletes set no finalizers for it.",
  },
});
