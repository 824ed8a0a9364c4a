/**
 * Enumerations of CRI `runtime.v1`, as unions of their names.
 *
 * @module
 */
/** Transport protocol of a port. */
export type Protocol = "TCP" | "UDP" | "SCTP";
/** How mounts made later spread between host and container. */
export type MountPropagation = "PROPAGATION_PRIVATE" | "PROPAGATION_HOST_TO_CONTAINER" | "PROPAGATION_BIDIRECTIONAL";
/** Whose namespace is used. */
export type NamespaceMode = "POD" | "CONTAINER" | "NODE" | "TARGET";
/** Kind of a security profile. */
export type ProfileType = "RuntimeDefault" | "Unconfined" | "Localhost";
/** Whether a sandbox can run containers. */
export type PodSandboxState = "SANDBOX_READY" | "SANDBOX_NOTREADY";
/** Where in its life a container is. */
export type ContainerState = "CONTAINER_CREATED" | "CONTAINER_RUNNING" | "CONTAINER_EXITED" | "CONTAINER_UNKNOWN";
/** What happened to a container. */
export type ContainerEventType =
  | "CONTAINER_CREATED_EVENT"
  | "CONTAINER_STARTED_EVENT"
  | "CONTAINER_STOPPED_EVENT"
  | "CONTAINER_DELETED_EVENT";
/** How a metric's value moves. */
export type MetricType = "COUNTER" | "GAUGE";

/** Names of each enumeration in the order of their wire numbers, from 0. */
export const enums = {
  Protocol: ["TCP", "UDP", "SCTP"] satisfies Protocol[],
  MountPropagation: [
    "PROPAGATION_PRIVATE",
    "PROPAGATION_HOST_TO_CONTAINER",
    "PROPAGATION_BIDIRECTIONAL",
  ] satisfies MountPropagation[],
  NamespaceMode: ["POD", "CONTAINER", "NODE", "TARGET"] satisfies NamespaceMode[],
  ProfileType: ["RuntimeDefault", "Unconfined", "Localhost"] satisfies ProfileType[],
  PodSandboxState: ["SANDBOX_READY", "SANDBOX_NOTREADY"] satisfies PodSandboxState[],
  ContainerState: [
    "CONTAINER_CREATED",
    "CONTAINER_RUNNING",
    "CONTAINER_EXITED",
    "CONTAINER_UNKNOWN",
  ] satisfies ContainerState[],
  ContainerEventType: [
    "CONTAINER_CREATED_EVENT",
    "CONTAINER_STARTED_EVENT",
    "CONTAINER_STOPPED_EVENT",
    "CONTAINER_DELETED_EVENT",
  ] satisfies ContainerEventType[],
  MetricType: ["COUNTER", "GAUGE"] satisfies MetricType[],
};
