/**
 * The flags of orch-controller-manager.
 *
 * @module
 */
import {
  controllerManagerFlags,
  delegatedAuthFlags,
  featureGateFlags,
  logFlags,
  metricFlags,
  servingFlags,
} from "@orchernetes/component";
import { clusterSection } from "./cluster.ts";
import { endpointsSection } from "./endpoints.ts";
import { nodeSection } from "./nodes.ts";
import { storageSection } from "./storage.ts";
import { workloadSection } from "./workloads.ts";

const shared = controllerManagerFlags("orch-controller-manager");

/** Every flag of orch-controller-manager but `help` and `version`, which every daemon has. */
export const orchControllerManagerFlags = {
  ...shared,
  // The cloud control loops run in cloud-controller-manager.
  "cloud-provider": { ...shared["cloud-provider"], effect: "none" as const },
  "cloud-config": { ...shared["cloud-config"], effect: "none" as const },
  ...workloadSection,
  ...endpointsSection,
  ...nodeSection,
  ...storageSection,
  ...clusterSection,
  ...servingFlags({ port: 10257, minPort: 0, certDir: "" }),
  ...delegatedAuthFlags(false),
  ...featureGateFlags("Generic"),
  ...metricFlags,
  ...logFlags,
};
