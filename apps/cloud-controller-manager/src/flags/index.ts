/**
 * The flags of cloud-controller-manager.
 *
 * @module
 */
import {
  controllerManagerFlags,
  delegatedAuthFlags,
  featureGateFlags,
  fieldsWithoutEffectOf,
  flagSection,
  logFlags,
  metricFlags,
  servingFlags,
} from "@orchernetes/component";

const nodeController = flagSection("Node controller", {
  "concurrent-node-syncs": {
    field: "NodeController.ConcurrentNodeSyncs",
    type: "int",
    default: 1,
    min: 1,
    help: "Number of nodes that the cloud node controller syncs concurrently.",
  },
  "node-status-update-frequency": {
    field: "NodeStatusUpdateFrequency",
    type: "duration",
    default: "5m0s",
    min: 1,
    help: "How often the node controller updates the status of nodes from the cloud.",
  },
});

const webhooks = flagSection("Webhook", {
  webhooks: {
    field: "Webhook.Webhooks",
    type: "strings",
    default: [],
    help: 'Webhooks of the provider to serve, with feature gate CloudControllerManagerWebhook: "*" all that are on by default, "foo" that one, "-foo" not that one. The first entry for a name wins.',
  },
  "webhook-bind-address": {
    type: "ip",
    default: "0.0.0.0",
    help: "Address that the webhook port listens on.",
  },
  "webhook-secure-port": {
    type: "int",
    default: 10260,
    min: 0,
    max: 65535,
    help: "Port for webhooks over HTTPS; 0 disables them.",
  },
  "webhook-cert-dir": {
    type: "string",
    default: "",
    help: "Directory for the self-signed pair of the webhook port.",
  },
  "webhook-tls-cert-file": {
    type: "string",
    default: "",
    help: "PEM file of the certificate of the webhook port.",
  },
  "webhook-tls-private-key-file": {
    type: "string",
    default: "",
    help: "PEM file of the private key that belongs to --webhook-tls-cert-file.",
  },
});

/** The flags shared with orch-controller-manager. Ranges of nodes are allocated there, or by the cloud. */
const generic = (() => {
  const shared = controllerManagerFlags("cloud-controller-manager");
  const idle = { effect: "none" } as const;
  return {
    ...shared,
    "allocate-node-cidrs": { ...shared["allocate-node-cidrs"], ...idle },
    "cidr-allocator-type": { ...shared["cidr-allocator-type"], ...idle },
  };
})();

/** Every flag of cloud-controller-manager but `help` and `version`, which every daemon has. */
export const cloudControllerManagerFlags = {
  ...generic,
  ...nodeController,
  ...webhooks,
  ...servingFlags({ port: 10258, minPort: 0, certDir: "" }),
  ...delegatedAuthFlags(false),
  ...featureGateFlags("Generic"),
  ...metricFlags,
  ...logFlags,
};

/** Fields of the configuration document that are accepted and checked, but have no effect. */
export const fieldsWithoutEffect: readonly string[] = [
  ...fieldsWithoutEffectOf(cloudControllerManagerFlags),
  "Generic.Port",
  "Generic.Address",
];
