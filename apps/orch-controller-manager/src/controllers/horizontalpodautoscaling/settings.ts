import { flagSection } from "@orchernetes/component";
import type { SettingsSource } from "../../shared/define-controller.ts";

/** How the controller of HorizontalPodAutoscalers works. */
export interface HorizontalPodAutoscalingSettings {
  readonly workers: number;
  readonly syncPeriodMs: number;
  /** How far back recommendations hold up a scale-down where an autoscaler's behavior says nothing. */
  readonly downscaleStabilizationMs: number;
  /** How far the ratio of use may be from 1 without anything being done. */
  readonly tolerance: number;
  readonly cpuInitializationPeriodMs: number;
  readonly initialReadinessDelayMs: number;
  /** Whether metrics of single containers count: gate HPAContainerMetrics. */
  readonly containerMetrics: boolean;
}

export const autoscalingFlags = flagSection("Horizontal pod autoscaling controller", {
  "concurrent-horizontal-pod-autoscaler-syncs": {
    field: "HPAController.ConcurrentHorizontalPodAutoscalerSyncs",
    type: "int",
    default: 5,
    min: 1,
    help: "Autoscalers worked on at once.",
  },
  "horizontal-pod-autoscaler-sync-period": {
    field: "HPAController.HorizontalPodAutoscalerSyncPeriod",
    type: "duration",
    default: "15s",
    min: 1,
    help: "Time between two looks at the number of pods.",
  },
  "horizontal-pod-autoscaler-upscale-delay": {
    field: "HPAController.HorizontalPodAutoscalerUpscaleForbiddenWindow",
    type: "duration",
    default: "3m0s",
    min: 0,
    hidden: true,
    deprecated: "it has no effect and will be removed",
    effect: "none",
    help: "Time after an upscale before the next one.",
  },
  "horizontal-pod-autoscaler-downscale-delay": {
    field: "HPAController.HorizontalPodAutoscalerDownscaleForbiddenWindow",
    type: "duration",
    default: "5m0s",
    min: 0,
    hidden: true,
    deprecated: "it has no effect and will be removed",
    effect: "none",
    help: "Time after a downscale before the next one.",
  },
  "horizontal-pod-autoscaler-downscale-stabilization": {
    field: "HPAController.HorizontalPodAutoscalerDownscaleStabilizationWindow",
    type: "duration",
    default: "5m0s",
    min: 0,
    help: "How long the autoscaler looks back: it does not scale below any recommendation of that time.",
  },
  "horizontal-pod-autoscaler-tolerance": {
    field: "HPAController.HorizontalPodAutoscalerTolerance",
    type: "float",
    default: 0.1,
    min: 0,
    help: "Least deviation of the ratio of wanted to actual use from 1 that makes the autoscaler scale.",
  },
  "horizontal-pod-autoscaler-cpu-initialization-period": {
    field: "HPAController.HorizontalPodAutoscalerCPUInitializationPeriod",
    type: "duration",
    default: "5m0s",
    min: 0,
    help: "Time after the start of a pod in which its CPU figures may be left out.",
  },
  "horizontal-pod-autoscaler-initial-readiness-delay": {
    field: "HPAController.HorizontalPodAutoscalerInitialReadinessDelay",
    type: "duration",
    default: "30s",
    min: 0,
    help: "Time after the start of a pod in which changes of readiness count as the first ones.",
  },
});

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
