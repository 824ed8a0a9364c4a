import { flagSection } from "@orchernetes/component";
import type { SettingsSource } from "../../shared/define-controller.ts";

/** The settings of the controller of HorizontalPodAutoscalers. Times are in milliseconds. */
export interface HorizontalPodAutoscalingSettings {
  readonly workers: number;
  readonly syncPeriodMs: number;
  /** Stabilization window for scaling down, for autoscalers whose behavior does not set one. */
  readonly downscaleStabilizationMs: number;
  /** Maximum deviation of the usage ratio from 1 that causes no scaling. */
  readonly tolerance: number;
  readonly cpuInitializationPeriodMs: number;
  readonly initialReadinessDelayMs: number;
  /** Whether metrics of single containers are supported (feature gate HPAContainerMetrics). */
  readonly containerMetrics: boolean;
}

/** The flags of the controller of HorizontalPodAutoscalers. */
export const autoscalingFlags = flagSection("Horizontal pod autoscaling controller", {
  "concurrent-horizontal-pod-autoscaler-syncs": {
    field: "HPAController.ConcurrentHorizontalPodAutoscalerSyncs",
    type: "int",
    default: 5,
    min: 1,
    help: "Number of autoscalers that are synced concurrently.",
  },
  "horizontal-pod-autoscaler-sync-period": {
    field: "HPAController.HorizontalPodAutoscalerSyncPeriod",
    type: "duration",
    default: "15s",
    min: 1,
    help: "Interval between syncs of the number of pods.",
  },
  "horizontal-pod-autoscaler-upscale-delay": {
    field: "HPAController.HorizontalPodAutoscalerUpscaleForbiddenWindow",
    type: "duration",
    default: "3m0s",
    min: 0,
    hidden: true,
    deprecated: "it has no effect and will be removed",
    effect: "none",
    help: "Minimum time between two upscales.",
  },
  "horizontal-pod-autoscaler-downscale-delay": {
    field: "HPAController.HorizontalPodAutoscalerDownscaleForbiddenWindow",
    type: "duration",
    default: "5m0s",
    min: 0,
    hidden: true,
    deprecated: "it has no effect and will be removed",
    effect: "none",
    help: "Minimum time between two downscales.",
  },
  "horizontal-pod-autoscaler-downscale-stabilization": {
    field: "HPAController.HorizontalPodAutoscalerDownscaleStabilizationWindow",
    type: "duration",
    default: "5m0s",
    min: 0,
    help: "Period of past recommendations that the autoscaler considers: it does not scale below any of them.",
  },
  "horizontal-pod-autoscaler-tolerance": {
    field: "HPAController.HorizontalPodAutoscalerTolerance",
    type: "float",
    default: 0.1,
    min: 0,
    help: "Minimum deviation of the ratio of desired to actual usage from 1 for the autoscaler to scale.",
  },
  "horizontal-pod-autoscaler-cpu-initialization-period": {
    field: "HPAController.HorizontalPodAutoscalerCPUInitializationPeriod",
    type: "duration",
    default: "5m0s",
    min: 0,
    help: "Time after a pod's start in which its CPU samples may be skipped.",
  },
  "horizontal-pod-autoscaler-initial-readiness-delay": {
    field: "HPAController.HorizontalPodAutoscalerInitialReadinessDelay",
    type: "duration",
    default: "30s",
    min: 0,
    help: "Time after a pod's start in which changes of readiness are treated as initial readiness.",
  },
});

/** Reads the settings from the configuration and the feature gates. */
export function autoscalingSettings({ document, gates }: SettingsSource): HorizontalPodAutoscalingSettings {
  const { HPAController: section } = document;
  return {
    workers: section.ConcurrentHorizontalPodAutoscalerSyncs,
    syncPeriodMs: section.HorizontalPodAutoscalerSyncPeriod,
    downscaleStabilizationMs: section.HorizontalPodAutoscalerDownscaleStabilizationWindow,
    tolerance: section.HorizontalPodAutoscalerTolerance,
    cpuInitializationPeriodMs: section.HorizontalPodAutoscalerCPUInitializationPeriod,
    initialReadinessDelayMs: section.HorizontalPodAutoscalerInitialReadinessDelay,
    containerMetrics: gates.enabled("HPAContainerMetrics"),
  };
}
