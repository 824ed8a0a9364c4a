import type { Container, ContainerStatus } from "../v1/container.ts";
import type { HostImages } from "./host-images.ts";
import type { ContainerRecord } from "./records.ts";

/** A container as it appears in lists. */
export function toContainer(record: ContainerRecord, images: HostImages): Container {
  const { id, podSandboxId, config, state, createdAt } = record;
  const { metadata, image, labels, annotations } = config;
  return {
    id,
    podSandboxId,
    imageRef: images.find(image?.image ?? "")?.id ?? "",
    state,
    createdAt,
    labels,
    annotations,
    ...(metadata && { metadata }),
    ...(image && { image }),
  };
}

/** A container as it appears in its status. */
export function toContainerStatus(record: ContainerRecord, images: HostImages): ContainerStatus {
  const { podSandboxId: _, ...container } = toContainer(record, images);
  const { startedAt, finishedAt, exitCode, reason, message, logPath, config } = record;
  const resources = config.linux?.resources;
  return {
    ...container,
    startedAt,
    finishedAt,
    exitCode,
    reason,
    message,
    logPath,
    mounts: config.mounts,
    ...(resources && { resources: { linux: resources } }),
  };
}
