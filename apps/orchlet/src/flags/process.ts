import { flagSection } from "@orchernetes/component";

/** Flags without a field in the configuration file. */
export const processSection = {
  ...flagSection("Files", {
    config: {
      type: "string",
      default: "",
      help: "Configuration file (OrchletConfiguration), as an absolute path or one relative to the working directory. Flags override its settings.",
    },
    orchconfig: {
      type: "string",
      default: "",
      help: "Client configuration file: how to reach the API server and authenticate to it. Without it, the agent runs in standalone mode.",
    },
    "bootstrap-orchconfig": {
      type: "string",
      default: "",
      help: "Client configuration that is used to request a client certificate if the file of --orchconfig does not exist; that file is then written, and the certificate and key are stored in --cert-dir.",
    },
    "cert-dir": {
      type: "string",
      default: "/var/lib/orchlet/pki",
      help: "Directory for certificates; not used when --tls-cert-file and --tls-private-key-file are given.",
    },
    "root-dir": {
      type: "string",
      default: "/var/lib/orchlet",
      help: "Directory for the agent's files, such as volumes, plugins and checkpoints.",
    },
    "lock-file": {
      type: "string",
      default: "",
      help: "File that is locked while the agent runs (alpha).",
    },
    "exit-on-lock-contention": {
      type: "bool",
      default: false,
      help: "Exits when another process tries to lock the file; requires --lock-file.",
    },
    "image-credential-provider-config": {
      type: "string",
      default: "",
      help: "File with the configuration of the programs that provide credentials for images.",
    },
    "image-credential-provider-bin-dir": {
      type: "string",
      default: "",
      help: "Directory of the programs that provide credentials for images.",
    },
  }),
  ...flagSection("Node", {
    "hostname-override": {
      type: "string",
      default: "",
      help: "Name of the node instead of the host's name. Has no effect with a cloud provider that sets the name.",
    },
    "node-ip": {
      type: "string",
      default: "",
      help: "Address of the node, or one of each family separated by a comma. Defaults to the default IPv4 address, else the IPv6 one; :: prefers IPv6.",
    },
    "node-labels": {
      type: "stringToString",
      default: {},
      help: "Labels to register the node with, as key=value (alpha). Labels with reserved prefixes must be among the allowed ones.",
    },
    "runtime-cgroups": {
      type: "string",
      default: "",
      help: "Control group in which the container runtime runs; the statistics of the node include its usage.",
    },
  }),
};

/** Deprecated flags without a field. */
export const deprecatedSection = flagSection("Deprecated", {
  "cloud-provider": {
    type: "string",
    default: "",
    deprecated: "will be removed when all cloud providers are external",
    help: '"external": cloud-controller-manager initializes the node, which keeps pods away by a taint until then. Empty means no cloud provider.',
  },
  "cloud-config": {
    type: "string",
    default: "",
    deprecated: "external cloud providers need no flag here",
    help: "Configuration file of a built-in cloud provider. No provider is built in, so this must be empty; the file belongs to cloud-controller-manager.",
  },
  "pod-infra-container-image": {
    type: "string",
    default: "<image registry>/pause:3.9",
    deprecated: "the container runtime tells its sandbox image",
    help: "Image of sandboxes, which is never removed.",
  },
  "register-schedulable": {
    type: "bool",
    default: true,
    deprecated: "use --register-with-taints instead",
    help: "Registers the node as schedulable.",
  },
  "keep-terminated-pod-volumes": {
    type: "bool",
    default: false,
    deprecated: "it will be removed",
    help: "Keeps the volumes of terminated pods mounted until the pods are deleted.",
  },
  "maximum-dead-containers": {
    type: "int",
    default: -1,
    deprecated: "use --eviction-hard or --eviction-soft instead",
    help: "Maximum number of terminated containers to keep on the node; a negative number means no limit.",
  },
  "maximum-dead-containers-per-container": {
    type: "int",
    default: 1,
    deprecated: "use --eviction-hard or --eviction-soft instead",
    help: "Maximum number of terminated instances to keep of each container.",
  },
  "minimum-container-ttl-duration": {
    type: "duration",
    default: "0s",
    min: 0,
    deprecated: "use --eviction-hard or --eviction-soft instead",
    help: "Minimum age of a terminated container before it is removed.",
  },
  "experimental-allocatable-ignore-eviction": {
    type: "bool",
    default: false,
    deprecated: "it will be removed",
    help: "Ignores hard eviction thresholds when computing the allocatable resources.",
  },
  "experimental-mounter-path": {
    type: "string",
    default: "mount",
    deprecated: "it will be removed",
    help: "Program that mounts network file systems; takes the arguments of mount(8).",
  },
});

/** Options of JSON logs, which only this daemon has. */
export const jsonLogSection = flagSection("Logs", {
  "log-json-split-stream": {
    field: "logging.options.json.splitStream",
    type: "bool",
    default: false,
    help: "In JSON format, writes errors to standard error and all other messages to standard output. By default all messages go to standard error.",
  },
  "log-json-info-buffer-size": {
    field: "logging.options.json.infoBufferSize",
    type: "string",
    default: "0",
    help: "In JSON format with split streams, the size of the buffer for messages other than errors, such as 512, 1K or 2Ki. 0 disables it.",
  },
});
