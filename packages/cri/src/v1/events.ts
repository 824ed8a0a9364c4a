/**
 * The stream of container lifecycle events. Wire numbers: CRI `runtime.v1` at API level 1.27.
 *
 * @module
 */

import type { ContainerStatus } from "./container.ts";
import type { ContainerEventType } from "./enums.ts";
import type { PodSandboxStatus } from "./sandbox.ts";
import type { MessageSpec } from "./spec.ts";

/** Request of `GetContainerEvents`. */
export type GetEventsRequest = Record<never, never>;

/** A container was created, started, stopped or deleted. `createdAt` in ns since the epoch. */
export interface ContainerEventResponse {
  containerId: string;
  containerEventType: ContainerEventType;
  createdAt: bigint;
  podSandboxStatus?: PodSandboxStatus;
  containersStatuses: ContainerStatus[];
}

/** Wire form of the messages of this file. */
export const eventsMessages = {
  GetEventsRequest: {} satisfies MessageSpec<GetEventsRequest>,
  ContainerEventResponse: {
    containerId: [1, "string"],
    containerEventType: [2, "ContainerEventType"],
    createdAt: [3, "nanos"],
    podSandboxStatus: [4, "PodSandboxStatus"],
    containersStatuses: [5, "[]ContainerStatus"],
  } satisfies MessageSpec<ContainerEventResponse>,
};
