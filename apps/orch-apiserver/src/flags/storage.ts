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
    help: "Form in which objects are stored when the flag is given; without it they are stored as JSON, which is cheaper here. Every form is read.",
  },
  "etcd-servers": {
    type: "strings",
    default: [],
    help: "etcd servers as scheme://host:port; required with --storage-backend=etcd3.",
  },
  "etcd-servers-overrides": {
    type: "strings",
    default: [],
    help: "Other etcd servers for single resources, as group/resource#servers with semicolons between the servers.",
  },
  "etcd-prefix": { type: "string", default: "/registry", help: "Put before every key in the store." },
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
    help: "Time between two compactions of the history; 0 means that this server never compacts.",
  },
  "etcd-count-metric-poll-period": {
    type: "duration",
    default: "1m0s",
    min: 0,
    help: "How often objects are counted for the metrics; 0 means never.",
  },
  "etcd-db-metric-poll-interval": {
    type: "duration",
    default: "30s",
    min: 0,
    help: "How often the size of the database is read for the metrics; 0 means never.",
  },
  "etcd-healthcheck-timeout": {
    type: "duration",
    default: "2s",
    min: 1,
    help: "How long the store may take to answer the check of /healthz and /livez.",
  },
  "etcd-readycheck-timeout": {
    type: "duration",
    default: "2s",
    min: 1,
    help: "How long the store may take to answer the check of /readyz.",
  },
  "encryption-provider-config": {
    type: "string",
    default: "",
    help: "File that says how secrets and other resources are encrypted in the store.",
  },
  "encryption-provider-config-automatic-reload": {
    type: "bool",
    default: false,
    help: "Follows changes of --encryption-provider-config. All key services then share one health check.",
  },
  "watch-cache": {
    type: "bool",
    default: true,
    help: "Serves reads and watches from a cache in memory; without it they go to the store.",
  },
  "watch-cache-sizes": {
    type: "strings",
    default: [],
    help: "Sizes of the cache for single resources as resource.group#size; only 0, which switches it off, has a meaning.",
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
    help: "Seconds for which one etcd lease is used for objects that expire; short times make more leases.",
  },
  "event-ttl": { type: "duration", default: "1h0m0s", min: 1000, help: "How long events are kept." },
  "delete-collection-workers": {
    type: "int",
    default: 1,
    min: 1,
    help: "Objects deleted at once when a collection is deleted; more empties namespaces faster.",
  },
  "enable-garbage-collector": {
    type: "bool",
    default: true,
    help: "Whether a garbage collector follows owner references; must be as in the controller manager. Without one, deletes leave no finalizers for it.",
  },
});
