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
  create(pod: NewPod | string, namespace: string, owner: ObjectReference): Promise<void>;
  /**
   * Deletes the pod with this uid. Resolves with false if it was deleted before.
   *
   * @throws ApiError, after an event FailedDelete
   */
  delete(pod: Pod, owner: ObjectReference): Promise<boolean>;
}

/** How the text of a pod begins that the API server of this project returns. */
const head = /^\{"kind":"Pod","apiVersion":"v1","metadata":\{"name":"([-a-z0-9.]{1,253})"/;

/** The name in the text of a created pod. The rest is long and of no use, so it is parsed only if the text begins otherwise. */
export function createdName(text: string): string {
  return head.exec(text)?.[1] ?? (JSON.parse(text) as Pod).metadata.name;
}

/** Creates a pod control that records events with this recorder. */
export function createPodControl(client: Client, recorder: EventRecorder): PodControl {
  const resource = client.resource(pods);
  return {
    async create(pod, namespace, owner) {
      try {
        const body = typeof pod === "string" ? pod : JSON.stringify(pod);
        const request = { method: "POST", path: resourcePath(pods, namespace), body, decode: createdName } as const;
        recorder.event(owner, "Normal", "SuccessfulCreate", `Created pod: ${await client.request(request)}`);
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
