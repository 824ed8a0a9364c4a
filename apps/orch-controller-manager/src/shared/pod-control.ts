import type { core } from "@orchernetes/api";
import { hasNamespaceTerminatingCause, isNotFound, type Stored } from "@orchernetes/apimachinery";
import type { Client, EventRecorder, ObjectReference } from "@orchernetes/client";
import type { NewPod } from "@orchernetes/controller";
import { messageOf } from "./message-of.ts";
import { pods } from "./refs.ts";

type Pod = Stored<core.Pod>;

/** Makes and deletes pods on behalf of an owner, and tells of it in events of the owner. */
export interface PodControl {
  /** @throws ApiError, after an event FailedCreate unless the namespace goes away */
  create(pod: NewPod, owner: ObjectReference): Promise<Pod>;
  /** Deletes this very pod. A pod that is gone already counts as deleted. @throws ApiError, after an event FailedDelete */
  delete(pod: Pod, owner: ObjectReference): Promise<void>;
}

export function createPodControl(client: Client, recorder: EventRecorder): PodControl {
  const resource = client.resource(pods);
  return {
    async create(pod, owner) {
      try {
        const made = await resource.namespace(pod.metadata.namespace ?? "").create(pod);
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
        if (isNotFound(error)) return;
        recorder.event(owner, "Warning", "FailedDelete", `Error deleting: ${messageOf(error)}`);
        throw error;
      }
      recorder.event(owner, "Normal", "SuccessfulDelete", `Deleted pod: ${name}`);
    },
  };
}
