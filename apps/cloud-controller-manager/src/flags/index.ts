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
    effect: "none",
    help: "Number of nodes that the cloud node controller syncs concurrently.",
  },
  "node-status-update-frequency": {
    field: "NodeStatusUpdateFrequency",
    type: "duration",
    default: "5m0s",
    min: 1,
    effect: "none",
    help: "How often the node controller updates the status of nodes from the cloud.",
  },
});

const webhooks = flagSection("Webhook", {
  webhooks: {
    field: "Webhook.Webhooks",
    type: "strings",
    default: [],
    effect: "none",
    help: 'Webhooks to serve: "*" all that are on by default, "foo" that one, "-foo" not that one. The first entry for a name wins.',
  },
  "webhook-bind-address": {
    type: "ip",
    default: "0.0.0.0",
    effect: "none",
    help: "Address that the webhook port listens on.",
  },
  "webhook-secure-port": {
    type: "int",
    default: 10260,
    min: 0,
    max: 65535,
    effect: "none",
    help: "Port for webhooks over HTTPS; 0 disables them.",
  },
  "webhook-cert-dir": {
    type: "string",
    default: "",
    effect: "none",
    help: "Directory for the self-signed pair of the webhook port.",
  },
  "webhook-tls-cert-file": {
    type: "string",
    default: "",
    effect: "none",
    help: "PEM file of the certificate of the webhook port.",
  },
  "webhook-tls-private-key-file": {
    type: "string",
    default: "",
    effect: "none",
    help: "PEM file of the private key that belongs to --webhook-tls-cert-file.",
  },
});

/**
 * The flags shared with orch-controller-manager. Those about its controllers have no effect here: what is done about nodes,
 * routes and load balancers is the provider's.
 */
const generic = (() => {
  const shared = controllerManagerFlags("cloud-controller-manager");
  const idle = { effect: "none" } as const;
  return {
    ...shared,
    controllers: { ...shared.controllers, ...idle },
    "allocate-node-cidrs": { ...shared["allocate-node-cidrs"], ...idle },
    "cidr-allocator-type": { ...shared["cidr-allocator-type"], ...idle },
    "cluster-cidr": { ...shared["cluster-cidr"], ...idle },
    "controller-start-interval": { ...shared["controller-start-interval"], ...idle },
    "min-resync-period": { ...shared["min-resync-period"], ...idle },
    "node-monitor-period": { ...shared["node-monitor-period"], ...idle },
    "use-service-account-credentials": { ...shared["use-service-account-credentials"], ...idle },
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
  "Generic.ClientConnection.acceptContentTypes",
];
