/**
 * Labels and annotations on sandboxes and containers. They are all the agent needs to know its pods again after a restart.
 *
 * @module
 */
export const podNameLabel = "io.orchernetes.pod.name";
export const podNamespaceLabel = "io.orchernetes.pod.namespace";
export const podUidLabel = "io.orchernetes.pod.uid";
export const containerNameLabel = "io.orchernetes.container.name";

/** Hash of the container's spec when it was created. */
export const hashAnnotation = "io.orchernetes.container.hash";
/** How many copies of the container came before this one. */
export const restartCountAnnotation = "io.orchernetes.container.restartCount";
export const terminationMessagePathAnnotation = "io.orchernetes.container.terminationMessagePath";
export const terminationMessagePolicyAnnotation = "io.orchernetes.container.terminationMessagePolicy";
/** The preStop handler as JSON, for containers whose pod is no longer known. */
export const preStopAnnotation = "io.orchernetes.container.preStopHandler";
/** Grace period in seconds, on sandbox and container. */
export const gracePeriodAnnotation = "io.orchernetes.pod.terminationGracePeriod";
