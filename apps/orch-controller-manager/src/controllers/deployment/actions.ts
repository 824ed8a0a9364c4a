import {
  controllerOf,
  hasNamespaceTerminatingCause,
  isAlreadyExists,
  isNotFound,
  keyOf,
} from "@orchernetes/apimachinery";
import { referenceTo, TransportError } from "@orchernetes/client";
import type { ActionHandlers, AwaitedGenerations, ControllerContext, Expectations } from "@orchernetes/controller";
import { messageOf } from "@orchernetes/kernel";
import { deployments as deploymentsRef, replicaSets as setsRef } from "../../shared/refs.ts";
import { condition, setCondition } from "./conditions.ts";
import type { DeploymentAction, DeploymentState, NewReplicaSet } from "./reconcile.ts";
import { type Deployment, type ReplicaSet, sameTemplate } from "./rollout.ts";
import { hasProgressDeadline } from "./status.ts";

/**
 * The handlers of the deployment controller's actions. What they write is awaited in the cache; whether a write was carried out whose
 * response is lost, is left to be looked up.
 */
export function deploymentActions(
  { client, clock, recorder }: Pick<ControllerContext, "client" | "clock" | "recorder">,
  expectations: Expectations,
  awaited: AwaitedGenerations,
): ActionHandlers<DeploymentAction, DeploymentState> {
  const write = async (
    deployment: Deployment,
    how: "create" | "update",
    request: Promise<ReplicaSet>,
  ): Promise<void> => {
    const key = keyOf(deployment);
    const written = await request.catch((error: unknown) => {
      if (error instanceof TransportError && error.sent) expectations.outcomeUnknown(key);
      throw error;
    });
    awaited.wrote(key, written, how);
  };
  const updateStatus = async (deployment: Deployment, status: Partial<Deployment["status"]>): Promise<void> => {
    const next = { ...deployment, status: { ...deployment.status, ...status } };
    await client.resource(deploymentsRef).updateStatus(next);
  };
  /** Records a scaling. Users follow rollouts by these events. */
  const scaled = (deployment: Deployment, message: string): void =>
    recorder.event(referenceTo(deploymentsRef, deployment), "Normal", "ScalingReplicaSet", message);

  /**
   * A ReplicaSet with this name exists: our own, from an earlier attempt whose response was lost, or one with another
   * template.
   */
  const resolveCollision = async (
    deployment: Deployment,
    { metadata: { name, namespace = "" } }: NewReplicaSet,
    error: unknown,
  ): Promise<void> => {
    const existing = await client.resource(setsRef).namespace(namespace).get(name);
    const ours = controllerOf(existing)?.uid === deployment.metadata.uid;
    if (ours && sameTemplate(existing, deployment)) return;
    await updateStatus(deployment, { collisionCount: (deployment.status.collisionCount ?? 0) + 1 });
    throw error;
  };

  /** Reports a failed creation as an event and as the Progressing condition. */
  const creationFailed = async (deployment: Deployment, name: string, error: unknown): Promise<void> => {
    const message = `Failed to create new replica set "${name}": ${messageOf(error)}`;
    recorder.event(referenceTo(deploymentsRef, deployment), "Warning", "ReplicaSetCreateError", message);
    if (!hasProgressDeadline(deployment)) return;
    const failed = condition("Progressing", "False", "ReplicaSetCreateError", message, clock.now());
    const conditions = setCondition(deployment.status.conditions ?? [], failed);
    await updateStatus(deployment, { conditions }).catch(() => undefined);
  };

  return {
    async CreateReplicaSet({ replicaSet }, { deployment }) {
      const { name, namespace = "" } = replicaSet.metadata;
      try {
        await write(deployment, "create", client.resource(setsRef).namespace(namespace).create(replicaSet));
      } catch (error) {
        if (hasNamespaceTerminatingCause(error)) throw error;
        if (isAlreadyExists(error)) return resolveCollision(deployment, replicaSet, error);
        await creationFailed(deployment, name, error);
        throw error;
      }
      const { replicas = 1 } = replicaSet.spec;
      if (replicas > 0) scaled(deployment, `Scaled up replica set ${name} to ${replicas}`);
    },
    async UpdateReplicaSet({ replicaSet, from }, { deployment }) {
      await write(deployment, "update", client.resource(setsRef).update(replicaSet));
      const { replicas: to = 1 } = replicaSet.spec;
      if (to === from) return;
      const direction = to > from ? "up" : "down";
      scaled(deployment, `Scaled ${direction} replica set ${replicaSet.metadata.name} to ${to} from ${from}`);
    },
    async DeleteReplicaSet({ replicaSet }) {
      const { name, namespace = "", uid } = replicaSet.metadata;
      const deleting = client.resource(setsRef).namespace(namespace).delete(name, { preconditions: { uid } });
      await deleting.catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    },
    UpdateStatus: async ({ deployment }) => void (await client.resource(deploymentsRef).updateStatus(deployment)),
    Warn: ({ reason, message }, { deployment }) =>
      recorder.event(referenceTo(deploymentsRef, deployment), "Warning", reason, message),
  };
}
