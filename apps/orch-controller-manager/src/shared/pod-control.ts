import type { core } from "@orchernetes/api";
import { hasNamespaceTerminatingCause, isNotFound, type Stored } from "@orchernetes/apimachinery";
import { type Client, type EventRecorder, type ObjectReference, resourcePath } from "@orchernetes/client";
import type { NewPod } from "@orchernetes/controller";
import { messageOf } from "@orchernetes/kernel";
import { pods } from "./refs.ts";

type Pod = Stored<core.Pod>;

/** Creates and deletes pods for an owner, and records events of the owner. */
export interface PodControl {
  /**
   * Creates a pod.
   *
   * @param pod the pod, or its JSON if many equal pods are created
   * @throws ApiError, after an event FailedCreate, unless the namespace is being deleted
   */
  create(pod: NewPod | string, namespace: string, owner: ObjectReference): Promise<Pod>;
  /**
   * Deletes the pod with this uid. Resolves with false if it was deleted before.
   *
   * @throws ApiError, after an event FailedDelete
   */
  delete(pod: Pod, owner: ObjectReference): Promise<boolean>;
}

/** Creates a pod control that records events with this recorder. */
export function createPodControl(client: Client, recorder: EventRecorder): PodControl {
  const resource = client.resource(pods);
  return {
    async create(pod, namespace, owner) {
      try {
        const body = typeof pod === "string" ? pod : JSON.stringify(pod);
        const made = (await client.request({ method: "POST", path: resourcePath(pods, namespace), body })) as Pod;
        recorder.event(owner, "Normal", "SuccessfulCreate", `Created pod: ${made.metadata.name}`);
        return made;
      } catch (error) {
        if (!hasNamespaceTerminatingCause(error)) {
          recorder.event(owner, "Warning", "FailedCreate", `Error creating: ${messageOf(error)}`);
        }
        throw error;
      }
    },
    async delete({ metadata: { name, namespace = "", uid } }, owner) {
      try {
        await resource.namespace(namespace).delete(name, { preconditions: { uid } });
      } catch (error) {
        if (isNotFound(error)) return false;
        recorder.event(owner, "Warning", "FailedDelete", `Error deleting: ${messageOf(error)}`);
        throw error;
      }
      recorder.event(owner, "Normal", "SuccessfulDelete", `Deleted pod: ${name}`);
      return true;
    },
  };
}
