import { flagSection } from "@orchernetes/component";

/** The controllers of namespaces, quotas, service accounts, garbage and certificates. */
export const clusterSection = {
  ...flagSection("Namespace controller", {
    "concurrent-namespace-syncs": { type: "int", default: 10, min: 1, help: "Namespaces worked on at once." },
    "namespace-sync-period": {
      type: "duration",
      default: "5m0s",
      min: 1,
      help: "Time between two looks at all namespaces.",
    },
  }),
  ...flagSection("Resource quota controller", {
    "concurrent-resource-quota-syncs": {
      type: "int",
      default: 5,
      min: 1,
      help: "Resource quotas worked on at once.",
    },
    "resource-quota-sync-period": {
      type: "duration",
      default: "5m0s",
      min: 1,
      help: "Time between two counts of what quotas limit.",
    },
  }),
  ...flagSection("Garbage collector", {
    "enable-garbage-collector": {
      type: "bool",
      default: true,
      help: "Deletes objects whose owners are gone; must be as in the API server.",
    },
    "concurrent-gc-syncs": { type: "int", default: 20, min: 1, help: "Objects worked on at once." },
  }),
  ...flagSection("Service account controller", {
    "concurrent-serviceaccount-token-syncs": {
      type: "int",
      default: 5,
      min: 1,
      effect: "none",
      help: "Service accounts whose tokens are worked on at once.",
    },
    "root-ca-file": {
      type: "string",
      default: "",
      help: "PEM bundle published in every namespace and put into token secrets, with which pods verify the API server.",
    },
    "service-account-private-key-file": {
      type: "string",
      default: "",
      effect: "none",
      help: "PEM file of the private key that signs service account tokens.",
    },
  }),
  ...flagSection("CSR signing controller", {
    "cluster-signing-cert-file": {
      type: "string",
      default: "",
      effect: "none",
      help: "PEM certificate of the authority that signs cluster-scoped certificates; not with the flags of single signers.",
    },
    "cluster-signing-key-file": {
      type: "string",
      default: "",
      effect: "none",
      help: "PEM file of the RSA or ECDSA key that belongs to --cluster-signing-cert-file.",
    },
    "cluster-signing-orchlet-serving-cert-file": {
      type: "string",
      default: "",
      effect: "none",
      help: "PEM certificate of the authority for signer orchernetes.io/orchlet-serving.",
    },
    "cluster-signing-orchlet-serving-key-file": {
      type: "string",
      default: "",
      effect: "none",
      help: "PEM file of the key for signer orchernetes.io/orchlet-serving.",
    },
    "cluster-signing-orchlet-client-cert-file": {
      type: "string",
      default: "",
      effect: "none",
      help: "PEM certificate of the authority for signer orchernetes.io/orch-apiserver-client-orchlet.",
    },
    "cluster-signing-orchlet-client-key-file": {
      type: "string",
      default: "",
      effect: "none",
      help: "PEM file of the key for signer orchernetes.io/orch-apiserver-client-orchlet.",
    },
    "cluster-signing-orch-apiserver-client-cert-file": {
      type: "string",
      default: "",
      effect: "none",
      help: "PEM certificate of the authority for signer orchernetes.io/orch-apiserver-client.",
    },
    "cluster-signing-orch-apiserver-client-key-file": {
      type: "string",
      default: "",
      effect: "none",
      help: "PEM file of the key for signer orchernetes.io/orch-apiserver-client.",
    },
    "cluster-signing-legacy-unknown-cert-file": {
      type: "string",
      default: "",
      effect: "none",
      help: "PEM certificate of the authority for signer orchernetes.io/legacy-unknown.",
    },
    "cluster-signing-legacy-unknown-key-file": {
      type: "string",
      default: "",
      effect: "none",
      help: "PEM file of the key for signer orchernetes.io/legacy-unknown.",
    },
    "cluster-signing-duration": {
      type: "duration",
      default: "8760h0m0s",
      min: 1,
      effect: "none",
      help: "Longest lifetime of signed certificates; a request may ask for less by spec.expirationSeconds.",
    },
  }),
};
