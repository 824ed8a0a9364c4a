/**
 * Labels and annotations of sandboxes and containers. They contain everything that the agent needs to recognize its
 * pods after a restart. Other tools such as `crictl` and log collectors read them, too.
 *
 * @module
 */
/** Name of the pod, on sandbox and container. */
export const podNameLabel = "io.orchernetes.pod.name";
/** Namespace of the pod, on sandbox and container. */
export const podNamespaceLabel = "io.orchernetes.pod.namespace";
/** Uid of the pod, on sandbox and container. The agent ignores sandboxes and containers without it. */
export const podUidLabel = "io.orchernetes.pod.uid";
/** Name of the container in its pod. */
export const containerNameLabel = "io.orchernetes.container.name";

/** Hash of the container's spec when it was created. */
export const hashAnnotation = "io.orchernetes.container.hash";
/** Number of earlier instances of the container. */
export const restartCountAnnotation = "io.orchernetes.container.restartCount";
/** `terminationMessagePath` of the container, for containers whose pod is no longer known. */
export const terminationMessagePathAnnotation = "io.orchernetes.container.terminationMessagePath";
/** `terminationMessagePolicy` of the container, for containers whose pod is no longer known. */
export const terminationMessagePolicyAnnotation = "io.orchernetes.container.terminationMessagePolicy";
/** The preStop handler as JSON, for containers whose pod is no longer known. */
export const preStopAnnotation = "io.orchernetes.container.preStopHandler";
/** Grace period in seconds, on sandbox and container. */
export const gracePeriodAnnotation = "io.orchernetes.pod.terminationGracePeriod";
