import { flagSection } from "@orchernetes/component";

/** The controllers of endpoints. */
export const endpointsSection = {
  ...flagSection("Endpoint controller", {
    "concurrent-endpoint-syncs": {
      type: "int",
      default: 5,
      min: 1,
      help: "Services whose endpoints are worked on at once.",
    },
    "endpoint-updates-batch-period": {
      type: "duration",
      default: "0s",
      min: 0,
      help: "How long changes of pods are collected before endpoints are written; longer means fewer writes and later updates.",
    },
  }),
  ...flagSection("EndpointSlice controller", {
    "concurrent-service-endpoint-syncs": {
      type: "int",
      default: 5,
      min: 1,
      help: "Services whose endpoint slices are worked on at once.",
    },
    "endpointslice-updates-batch-period": {
      type: "duration",
      default: "0s",
      min: 0,
      help: "How long changes of pods are collected before endpoint slices are written; longer means fewer writes and later updates.",
    },
    "max-endpoints-per-slice": {
      type: "int",
      default: 100,
      min: 1,
      help: "Most endpoints in a slice; more means fewer but larger objects.",
    },
  }),
  ...flagSection("EndpointSlice mirroring controller", {
    "mirroring-concurrent-service-endpoint-syncs": {
      type: "int",
      default: 5,
      min: 1,
      effect: "none",
      help: "Services whose endpoints are mirrored at once.",
    },
    "mirroring-endpointslice-updates-batch-period": {
      type: "duration",
      default: "0s",
      min: 0,
      effect: "none",
      help: "How long changes of endpoints are collected before slices are written; 0 writes every change at once.",
    },
    "mirroring-max-endpoints-per-subset": {
      type: "int",
      default: 1000,
      min: 1,
      effect: "none",
      help: "Most endpoints of a subset that are mirrored.",
    },
  }),
};
