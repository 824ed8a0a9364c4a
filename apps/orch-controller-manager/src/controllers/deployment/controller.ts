import {
  type ApiObject,
  hasNamespaceTerminatingCause,
  isAlreadyExists,
  isNotFound,
  keyOf,
  labelSelectorAsSelector,
} from "@orchernetes/apimachinery";
import { byControllerUid, referenceTo } from "@orchernetes/client";
import { carryOutClaims, controllerOf, planClaims, runController, WorkQueue } from "@orchernetes/controller";
import type { ControllerContext, ControllerDescriptor } from "../../shared/context.ts";
import { deployments as deploymentsRef, pods as podsRef, replicaSets as setsRef } from "../../shared/refs.ts";
import { controllerIndex, orphanIndex, podIndexers } from "../replicaset/pod-index.ts";
import { condition, setCondition } from "./conditions.ts";
import { type DeploymentAction, type DeploymentState, type NewReplicaSet, reconcile } from "./reconcile.ts";
import { type Deployment, type ReplicaSet, sameTemplate } from "./rollout.ts";
import { hasProgressDeadline } from "./status.ts";

/** Moves the pods of each Deployment to its current template. */
export const deploymentController: ControllerDescriptor = {
  name: "deployment",
  serviceAccount: "deployment-controller",
  enabledByDefault: true,
  start: run,
};

async function run(context: ControllerContext): Promise<void> {
  const { client, clock, logger, recorder, signal } = context;
  const queue = new WorkQueue({ name: "deployment", clock, metrics: context.queueMetrics });
  const deployments = context.informers.informer(deploymentsRef);
  const sets = context.informers.informer(setsRef, {
    [controllerIndex]: byControllerUid,
    [orphanIndex]: (set) => (controllerOf(set) === undefined ? set.metadata.namespace : undefined),
  });
  const pods = context.informers.informer(podsRef, podIndexers);

  const enqueue = (deployment: ApiObject): void => queue.add(keyOf(deployment));
  const ownerOf = (set: ReplicaSet): Deployment | undefined => {
    const ref = controllerOf(set);
    if (ref?.kind !== "Deployment") return undefined;
    const deployment = deployments.lister.get(set.metadata.namespace ?? "", ref.name);
    return deployment?.metadata.uid === ref.uid ? deployment : undefined;
  };
  const setChanged = (set: ReplicaSet): void => {
    if (controllerOf(set) === undefined) {
      for (const deployment of deployments.lister.list(set.metadata.namespace ?? "")) {
        if (labelSelectorAsSelector(deployment.spec.selector).matches(set.metadata.labels)) enqueue(deployment);
      }
      return;
    }
    const deployment = ownerOf(set);
    if (deployment !== undefined) enqueue(deployment);
  };
  deployments.addHandler({ onAdd: enqueue, onUpdate: (_, deployment) => enqueue(deployment), onDelete: enqueue });
  sets.addHandler({
    onAdd: setChanged,
    onUpdate(old, set) {
      if (controllerOf(old)?.uid !== controllerOf(set)?.uid) setChanged(old);
      setChanged(set);
    },
    onDelete: setChanged,
  });
  pods.addHandler({
    onDelete(pod) {
      // The last old pod's end is what a Recreate waits for.
      const ref = controllerOf(pod);
      if (ref?.kind !== "ReplicaSet") return;
      const set = sets.lister.get(pod.metadata.namespace ?? "", ref.name);
      const deployment = set === undefined ? undefined : ownerOf(set);
      if (deployment?.spec.strategy.type === "Recreate") enqueue(deployment);
    },
  });

  const gather = async (key: string): Promise<DeploymentState | undefined> => {
    const deployment = deployments.lister.byKey(key);
    if (deployment === undefined) return undefined;
    const selector = labelSelectorAsSelector(deployment.spec.selector);
    const candidates = [
      ...sets.lister.byIndex(controllerIndex, deployment.metadata.uid),
      ...sets.lister.byIndex(orphanIndex, deployment.metadata.namespace ?? ""),
    ];
    const claims = planClaims(deployment, selector, selector.empty ? [] : candidates);
    const replicaSets = await carryOutClaims(claims, {
      client,
      ownerRef: deploymentsRef,
      owner: deployment,
      ref: setsRef,
    });
    return { deployment, replicaSets, podsOf: (set) => pods.lister.byIndex(controllerIndex, set.metadata.uid) };
  };

  const updateStatus = (deployment: Deployment): Promise<Deployment> =>
    client.resource(deploymentsRef).updateStatus(deployment);

  const create = async (replicaSet: NewReplicaSet, deployment: Deployment): Promise<void> => {
    const { name, namespace = "" } = replicaSet.metadata;
    const resource = client.resource(setsRef).namespace(namespace);
    try {
      await resource.create(replicaSet);
    } catch (error) {
      if (hasNamespaceTerminatingCause(error)) throw error;
      if (isAlreadyExists(error)) {
        const existing = await resource.get(name);
        const ours = controllerOf(existing)?.uid === deployment.metadata.uid;
        // Made by an earlier attempt whose answer was lost.
        if (ours && sameTemplate(existing, deployment)) return;
        const collisionCount = (deployment.status.collisionCount ?? 0) + 1;
        await updateStatus({ ...deployment, status: { ...deployment.status, collisionCount } });
        throw error;
      }
      const message = `Failed to create new replica set "${name}": ${error instanceof Error ? error.message : error}`;
      recorder.event(referenceTo(deploymentsRef, deployment), "Warning", "ReplicaSetCreateError", message);
      if (hasProgressDeadline(deployment)) {
        const failed = condition("Progressing", "False", "ReplicaSetCreateError", message, clock.now());
        const conditions = setCondition(deployment.status.conditions ?? [], failed);
        await updateStatus({ ...deployment, status: { ...deployment.status, conditions } }).catch(() => undefined);
      }
      throw error;
    }
    const { replicas = 1 } = replicaSet.spec;
    if (replicas > 0) {
      const message = `Scaled up replica set ${name} to ${replicas}`;
      recorder.event(referenceTo(deploymentsRef, deployment), "Normal", "ScalingReplicaSet", message);
    }
  };

  const act = async (action: DeploymentAction, deployment: Deployment): Promise<void> => {
    switch (action.type) {
      case "CreateReplicaSet":
        await create(action.replicaSet, deployment);
        return;
      case "UpdateReplicaSet": {
        const { replicaSet, from } = action;
        await client.resource(setsRef).update(replicaSet);
        const to = replicaSet.spec.replicas ?? 1;
        if (to !== from) {
          const message = `Scaled ${to > from ? "up" : "down"} replica set ${replicaSet.metadata.name} to ${to} from ${from}`;
          recorder.event(referenceTo(deploymentsRef, deployment), "Normal", "ScalingReplicaSet", message);
        }
        return;
      }
      case "DeleteReplicaSet": {
        const { name, namespace = "", uid } = action.replicaSet.metadata;
        const deleting = client.resource(setsRef).namespace(namespace).delete(name, { preconditions: { uid } });
        await deleting.catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
        return;
      }
      case "UpdateStatus":
        await updateStatus(action.deployment);
        return;
      case "Warn":
        recorder.event(referenceTo(deploymentsRef, deployment), "Warning", action.reason, action.message);
        return;
    }
  };

  await Promise.all([deployments.waitForSync(signal), sets.waitForSync(signal), pods.waitForSync(signal)]);
  await runController<DeploymentState, DeploymentAction>(
    {
      name: "deployment",
      queue,
      workers: context.config.concurrentDeploymentSyncs,
      maxRetries: 15,
      gather,
      reconcile,
      async carryOut(actions, { deployment }) {
        for (const action of actions) await act(action, deployment);
      },
    },
    { signal, logger, clock },
  );
}
