/**
 * Runtime metrics (1.27: alpha, not served by containerd 1.6). Wire numbers: CRI `runtime.v1` at API level 1.27.
 *
 * @module
 */

import type { MetricType } from "./enums.ts";
import type { MessageSpec } from "./spec.ts";

/** Request of `ListMetricDescriptors`. */
export type ListMetricDescriptorsRequest = Record<never, never>;

/** Name, help and labels of a metric. */
export interface MetricDescriptor {
  name: string;
  help: string;
  labelKeys: string[];
}

/** Answer of `ListMetricDescriptors`. */
export interface ListMetricDescriptorsResponse {
  descriptors: MetricDescriptor[];
}

/** Request of `ListPodSandboxMetrics`. */
export type ListPodSandboxMetricsRequest = Record<never, never>;

/** One sample; `labelValues` in the descriptor's order. */
export interface Metric {
  name: string;
  timestamp: bigint;
  metricType: MetricType;
  labelValues: string[];
  value?: number;
}

/** Samples of a container. */
export interface ContainerMetrics {
  containerId: string;
  metrics: Metric[];
}

/** Samples of a sandbox and its containers. */
export interface PodSandboxMetrics {
  podSandboxId: string;
  metrics: Metric[];
  containerMetrics: ContainerMetrics[];
}

/** Answer of `ListPodSandboxMetrics`. */
export interface ListPodSandboxMetricsResponse {
  podMetrics: PodSandboxMetrics[];
}

/** Wire form of the messages of this file. */
export const metricsMessages = {
  ListMetricDescriptorsRequest: {} satisfies MessageSpec<ListMetricDescriptorsRequest>,
  MetricDescriptor: {
    name: [1, "string"],
    help: [2, "string"],
    labelKeys: [3, "[]string"],
  } satisfies MessageSpec<MetricDescriptor>,
  ListMetricDescriptorsResponse: {
    descriptors: [1, "[]MetricDescriptor"],
  } satisfies MessageSpec<ListMetricDescriptorsResponse>,
  ListPodSandboxMetricsRequest: {} satisfies MessageSpec<ListPodSandboxMetricsRequest>,
  Metric: {
    name: [1, "string"],
    timestamp: [2, "nanos"],
    metricType: [3, "MetricType"],
    labelValues: [4, "[]string"],
    value: [5, "UInt64Value"],
  } satisfies MessageSpec<Metric>,
  ContainerMetrics: { containerId: [1, "string"], metrics: [2, "[]Metric"] } satisfies MessageSpec<ContainerMetrics>,
  PodSandboxMetrics: {
    podSandboxId: [1, "string"],
    metrics: [2, "[]Metric"],
    containerMetrics: [3, "[]ContainerMetrics"],
  } satisfies MessageSpec<PodSandboxMetrics>,
  ListPodSandboxMetricsResponse: {
    podMetrics: [1, "[]PodSandboxMetrics"],
  } satisfies MessageSpec<ListPodSandboxMetricsResponse>,
};
