import {
  type ApiObject,
  isAlreadyExists,
  isConflict,
  isNotFound,
  keyOf,
  labelSelectorAsSelector,
} from "@orchernetes/apimachinery";
import { byControllerUid, referenceTo } from "@orchernetes/client";
import {
  carryOutClaims,
  controllerOf,
  controllerRef,
  isPodReady,
  planClaims,
  runWorkers,
  slowStartBatch,
  WorkQueue,
} from "@orchernetes/controller";
import type { ControllerContext, ControllerDescriptor } from "../../shared/context.ts";
import { keepCurrentRevision, RevisionCollision } from "../../shared/history/keep-current-revision.ts";
import { revisionHash } from "../../shared/history/revision-hash.ts";
import { type Revision, surplusRevisions, templateOf } from "../../shared/history/revisions.ts";
import { messageOf } from "../../shared/message-of.ts";
import { controllerRevisions, persistentVolumeClaims, pods as podsRef, statefulSets } from "../../shared/refs.ts";
import { controllerIndex, orphanIndex, podIndexers } from "../replicaset/pod-index.ts";
import { claimsOf, ordinalOf, type Pod, revisionLabel, type StatefulSet, statefulPod } from "./identity.ts";
import { reconcile, type StatefulSetAction, type StatefulSetState } from "./reconcile.ts";
import { claimOwners, repairedPod } from "./repair.ts";
import { statusOf } from "./status.ts";

/** Keeps the numbered pods of each StatefulSet, and their claims. */
export const statefulSetController: ControllerDescriptor = {
  name: "statefulset",
  serviceAccount: "statefulset-controller",
  enabledByDefault: true,
  start: run,
};

async function run(context: ControllerContext): Promise<void> {
  const { client, clock, logger, recorder, signal } = context;
  const queue = new WorkQueue({ name: "statefulset", clock, metrics: context.queueMetrics });
  const sets = context.informers.informer(statefulSets);
  const pods = context.informers.informer(podsRef, podIndexers);
  const claims = context.informers.informer(persistentVolumeClaims);
  const revisions = context.informers.informer(controllerRevisions, {
    [controllerIndex]: byControllerUid,
    [orphanIndex]: (revision) => (controllerOf(revision) === undefined ? revision.metadata.namespace : undefined),
  });

  const enqueue = (set: ApiObject): void => queue.add(keyOf(set));
  const podChanged = (pod: Pod, old?: Pod): void => {
    const ref = controllerOf(pod);
    const near = sets.lister.list(pod.metadata.namespace ?? "");
    if (ref === undefined) {
      for (const set of near) {
        if (labelSelectorAsSelector(set.spec.selector).matches(pod.metadata.labels)) enqueue(set);
      }
      return;
    }
    const set = near.find(({ metadata }) => metadata.uid === ref.uid);
    if (set === undefined) return;
    enqueue(set);
    const { minReadySeconds = 0 } = set.spec;
    // Becoming available makes no event of its own.
    if (minReadySeconds > 0 && isPodReady(pod) && (old === undefined || !isPodReady(old))) {
      queue.addAfter(keyOf(set), (minReadySeconds + 1) * 1000);
    }
  };
  sets.addHandler({ onAdd: enqueue, onUpdate: (_, set) => enqueue(set) });
  pods.addHandler({
    onAdd: (pod) => podChanged(pod),
    onUpdate(old, pod) {
      if (controllerOf(old)?.uid !== controllerOf(pod)?.uid) podChanged(old);
      podChanged(pod, old);
    },
    onDelete: (pod) => podChanged(pod),
  });

  const claimOf = (namespace: string) => (name: string) => claims.lister.get(namespace, name);

  const createClaims = async (set: StatefulSet, podName: string): Promise<void> => {
    const { name: setName, namespace = "" } = set.metadata;
    const reference = referenceTo(statefulSets, set);
    for (const claim of claimsOf(set, podName)) {
      if (claims.lister.get(namespace, claim.metadata.name) !== undefined) continue;
      const what = `create Claim ${claim.metadata.name} Pod ${podName} in StatefulSet ${setName}`;
      try {
        await client.resource(persistentVolumeClaims).namespace(namespace).create(claim);
        recorder.event(reference, "Normal", "SuccessfulCreate", `${what} success`);
      } catch (error) {
        if (isAlreadyExists(error)) continue;
        recorder.event(reference, "Warning", "FailedCreate", `${what} failed error: ${messageOf(error)}`);
        throw error;
      }
    }
  };

  const createPod = async (set: StatefulSet, ordinal: number, revision: Revision): Promise<void> => {
    const { name: setName, namespace = "" } = set.metadata;
    const reference = referenceTo(statefulSets, set);
    const template = templateOf(revision) ?? set.spec.template;
    const pod = statefulPod(set, template, revision.metadata.name, ordinal);
    const { name } = pod.metadata;
    await createClaims(set, name);
    const what = `create Pod ${name} in StatefulSet ${setName}`;
    try {
      await client.resource(podsRef).namespace(namespace).create(pod);
      recorder.event(reference, "Normal", "SuccessfulCreate", `${what} successful`);
    } catch (error) {
      if (!isAlreadyExists(error)) {
        recorder.event(reference, "Warning", "FailedCreate", `${what} failed error: ${messageOf(error)}`);
      }
      throw error;
    }
  };

  /** Sets the owners of the pod's claims according to the set's retention policy. */
  const repairClaims = async (set: StatefulSet, pod: Pod): Promise<void> => {
    const { name, namespace = "" } = pod.metadata;
    for (const { metadata } of claimsOf(set, name)) {
      const claim = claims.lister.get(namespace, metadata.name);
      const ownerReferences = claim && claimOwners(set, pod, claim);
      if (claim === undefined || ownerReferences === undefined) continue;
      await client
        .resource(persistentVolumeClaims)
        .update({ ...claim, metadata: { ...claim.metadata, ownerReferences } });
    }
  };

  const repairPod = async (set: StatefulSet, pod: Pod): Promise<void> => {
    const { name } = pod.metadata;
    await createClaims(set, name);
    await repairClaims(set, pod);
    const repaired = repairedPod(set, pod);
    if (repaired === undefined) return;
    const reference = referenceTo(statefulSets, set);
    const what = `update Pod ${name} in StatefulSet ${set.metadata.name}`;
    try {
      await client.resource(podsRef).update(repaired);
      recorder.event(reference, "Normal", "SuccessfulUpdate", `${what} successful`);
    } catch (error) {
      if (!isConflict(error)) {
        recorder.event(reference, "Warning", "FailedUpdate", `${what} failed error: ${messageOf(error)}`);
      }
      throw error;
    }
  };

  const deletePod = async (set: StatefulSet, action: StatefulSetAction & { type: "DeletePod" }): Promise<void> => {
    const { pod, reason } = action;
    const { name, uid, namespace = "" } = pod.metadata;
    const reference = referenceTo(statefulSets, set);
    if (reason === "failed") {
      const message = `StatefulSet ${namespace}/${set.metadata.name} is recreating failed Pod ${name}`;
      recorder.event(reference, "Warning", "RecreatingFailedPod", message);
    }
    const what = `delete Pod ${name} in StatefulSet ${set.metadata.name}`;
    try {
      await client.resource(podsRef).namespace(namespace).delete(name, { preconditions: { uid } });
      recorder.event(reference, "Normal", "SuccessfulDelete", `${what} successful`);
    } catch (error) {
      if (isNotFound(error)) return;
      recorder.event(reference, "Warning", "FailedDelete", `${what} failed error: ${messageOf(error)}`);
      throw error;
    }
  };

  const sync = async (key: string): Promise<undefined> => {
    const set = sets.lister.byKey(key);
    if (set === undefined) return undefined;
    const { namespace = "", uid } = set.metadata;
    const selector = labelSelectorAsSelector(set.spec.selector);
    const claim = { client, ownerRef: statefulSets, owner: set };
    const history = await carryOutClaims(
      planClaims(set, selector, [
        ...revisions.lister.byIndex(controllerIndex, uid),
        ...revisions.lister.byIndex(orphanIndex, namespace),
      ]),
      { ...claim, ref: controllerRevisions },
    );
    const orphans = pods.lister.byIndex(orphanIndex, namespace).filter((pod) => ordinalOf(set, pod) !== undefined);
    const mine = await carryOutClaims(
      planClaims(set, selector, [...pods.lister.byIndex(controllerIndex, uid), ...orphans]),
      { ...claim, ref: podsRef },
    );
    const collisionCount = set.status?.collisionCount ?? 0;
    const owner = {
      object: set,
      ref: controllerRef(statefulSets, set),
      template: set.spec.template,
      collisionCount,
      hashLabel: "controller.orchernetes.io/hash",
      hashOf: revisionHash,
    };
    const update = await keepCurrentRevision(client, owner, history).catch(async (error: unknown) => {
      if (error instanceof RevisionCollision) {
        const status = { ...set.status, collisionCount: collisionCount + 1 };
        await client.resource(statefulSets).updateStatus({ ...set, status });
      }
      throw error;
    });
    const current = history.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update;
    const state: StatefulSetState = {
      set,
      pods: mine,
      currentRevision: current.metadata.name,
      updateRevision: update.metadata.name,
      claim: claimOf(namespace),
    };
    const act = (action: StatefulSetAction): Promise<void> => {
      switch (action.type) {
        case "CreatePod":
          return createPod(set, action.ordinal, action.revision === current.metadata.name ? current : update);
        case "DeletePod":
          return deletePod(set, action);
        case "CreateClaims":
          return createClaims(set, action.pod.metadata.name);
        case "RepairPod":
          return repairPod(set, action.pod);
        case "RepairClaims":
          return repairClaims(set, action.pod);
      }
    };
    let failure: unknown;
    try {
      const actions = reconcile(state, clock.now());
      // Set the owners of claims before deleting the pods that own them.
      for (const action of actions.filter(({ type }) => !isAboutPods(type))) await act(action);
      const aboutPods = actions.filter(({ type }) => isAboutPods(type));
      const { error } = await slowStartBatch(aboutPods.length, async (i) => {
        const action = aboutPods[i];
        if (action !== undefined) await act(action);
      });
      if (error !== undefined) throw error;
    } catch (error) {
      failure = error;
    }
    const status = statusOf(state, clock.now());
    if (status !== set.status) await client.resource(statefulSets).updateStatus({ ...set, status });
    if (failure !== undefined) throw failure;
    const live = new Set(mine.map(({ metadata }) => metadata.labels?.[revisionLabel]));
    for (const name of [current.metadata.name, update.metadata.name, status.currentRevision]) live.add(name);
    const limit = set.spec.revisionHistoryLimit ?? 10;
    for (const { metadata } of surplusRevisions(history, (revision) => live.has(revision.metadata.name), limit)) {
      const deleting = client.resource(controllerRevisions).namespace(namespace).delete(metadata.name);
      await deleting.catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    }
    return undefined;
  };

  await Promise.all([sets, pods, claims, revisions].map((informer) => informer.waitForSync(signal)));
  await runWorkers({
    name: "statefulset",
    queue,
    workers: context.config.concurrentStatefulSetSyncs,
    sync,
    signal,
    logger,
    clock,
  });
}

/** Runs the actions concurrently; with ordered pod management there is never more than one. */
const isAboutPods = (type: StatefulSetAction["type"]): boolean => type === "CreatePod" || type === "DeletePod";
