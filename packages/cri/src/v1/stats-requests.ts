/**
 * Requests and answers of the usage methods. Wire numbers: CRI `runtime.v1` at API level 1.27.
 *
 * @module
 */
import type { MessageSpec } from "./spec.ts";
import type { ContainerStats, PodSandboxStats } from "./stats.ts";

/** Request of `ContainerStats`. */
export interface ContainerStatsRequest {
  containerId: string;
}

/** Answer of `ContainerStats`. */
export interface ContainerStatsResponse {
  stats?: ContainerStats;
}

/** Selects containers; all given parts must match. */
export interface ContainerStatsFilter {
  id: string;
  podSandboxId: string;
  labelSelector: Record<string, string>;
}

/** Request of `ListContainerStats`. */
export interface ListContainerStatsRequest {
  filter?: ContainerStatsFilter;
}

/** Answer of `ListContainerStats`. */
export interface ListContainerStatsResponse {
  stats: ContainerStats[];
}

/** Request of `PodSandboxStats`. */
export interface PodSandboxStatsRequest {
  podSandboxId: string;
}

/** Answer of `PodSandboxStats`. */
export interface PodSandboxStatsResponse {
  stats?: PodSandboxStats;
}

/** Selects sandboxes; all given parts must match. */
export interface PodSandboxStatsFilter {
  id: string;
  labelSelector: Record<string, string>;
}

/** Request of `ListPodSandboxStats`. */
export interface ListPodSandboxStatsRequest {
  filter?: PodSandboxStatsFilter;
}

/** Answer of `ListPodSandboxStats`. */
export interface ListPodSandboxStatsResponse {
  stats: PodSandboxStats[];
}

/** Wire form of the messages of this file. */
export const statsRequestsMessages = {
  ContainerStatsRequest: { containerId: [1, "string"] } satisfies MessageSpec<ContainerStatsRequest>,
  ContainerStatsResponse: { stats: [1, "ContainerStats"] } satisfies MessageSpec<ContainerStatsResponse>,
  ContainerStatsFilter: {
    id: [1, "string"],
    podSandboxId: [2, "string"],
    labelSelector: [3, "map"],
  } satisfies MessageSpec<ContainerStatsFilter>,
  ListContainerStatsRequest: { filter: [1, "ContainerStatsFilter"] } satisfies MessageSpec<ListContainerStatsRequest>,
  ListContainerStatsResponse: { stats: [1, "[]ContainerStats"] } satisfies MessageSpec<ListContainerStatsResponse>,
  PodSandboxStatsRequest: { podSandboxId: [1, "string"] } satisfies MessageSpec<PodSandboxStatsRequest>,
  PodSandboxStatsResponse: { stats: [1, "PodSandboxStats"] } satisfies MessageSpec<PodSandboxStatsResponse>,
  PodSandboxStatsFilter: { id: [1, "string"], labelSelector: [2, "map"] } satisfies MessageSpec<PodSandboxStatsFilter>,
  ListPodSandboxStatsRequest: {
    filter: [1, "PodSandboxStatsFilter"],
  } satisfies MessageSpec<ListPodSandboxStatsRequest>,
  ListPodSandboxStatsResponse: { stats: [1, "[]PodSandboxStats"] } satisfies MessageSpec<ListPodSandboxStatsResponse>,
};
