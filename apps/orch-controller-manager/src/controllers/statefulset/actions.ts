import { isAlreadyExists, isConflict, isNotFound } from "@orchernetes/apimachinery";
import { type EventRecorder, referenceTo } from "@orchernetes/client";
import { type ControllerContext, inOrder, slowStartBatch } from "@orchernetes/controller";
import { messageOf } from "@orchernetes/kernel";
import type { RevisionKeeper } from "../../shared/history/revision-keeper.ts";
import { type Revision, templateOf } from "../../shared/history/revisions.ts";
import { persistentVolumeClaims, pods as podsRef, statefulSets } from "../../shared/refs.ts";
import { claimsOf, type Pod, type StatefulSet, statefulPod } from "./identity.ts";
import type { StatefulSetAction, StatefulSetState } from "./reconcile.ts";
import { claimOwners, repairedPod } from "./repair.ts";

/** The state of a set with its revisions. */
export interface RevisedState extends StatefulSetState {
  readonly history: readonly Revision[];
  /** The revision from which pods are updated. */
  readonly current: Revision;
  /** The revision to which pods are updated. */
  readonly update: Revision;
}

/** An action of the controller: those for pods, and deleting surplus revisions. */
export type CarriedOut =
  | StatefulSetAction
  | { readonly type: "DropRevisions"; readonly revisions: readonly Revision[] };

const forPod = ["successful", "failed error:"] as const;

/** Actions on pods. With ordered pod management, a plan has at most one of them. */
const isAboutPods = ({ type }: CarriedOut): boolean => type === "CreatePod" || type === "DeletePod";

/**
 * Performs the actions of the controller. Pods are created and deleted concurrently after all other actions, because
 * owners of claims must be set before the pods that own them are deleted.
 */
export function statefulSetActions(
  context: Pick<ControllerContext, "client" | "recorder">,
  keeper: RevisionKeeper<StatefulSet>,
): (actions: readonly CarriedOut[], state: RevisedState, key: string) => Promise<void> {
  const { client, recorder } = context;
  const { createClaims, repairClaims } = claimWrites(context);
  const carryOut = inOrder<CarriedOut, RevisedState>({
    async CreatePod({ ordinal, revision: name }, state) {
      const { set, current, update } = state;
      const revision = name === current.metadata.name ? current : update;
      const template = templateOf(revision) ?? set.spec.template;
      const pod = statefulPod(set, template, revision.metadata.name, ordinal);
      await createClaims(state, pod.metadata.name);
      const what = `create Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
      const resource = client.resource(podsRef).namespace(set.metadata.namespace ?? "");
      await reported(
        recorder,
        set,
        { verb: "Create", what, words: forPod },
        () => resource.create(pod),
        isAlreadyExists,
      );
    },
    CreateClaims: ({ pod }, state) => createClaims(state, pod.metadata.name),
    async RepairPod({ pod }, state) {
      const { set } = state;
      await createClaims(state, pod.metadata.name);
      await repairClaims(state, pod);
      const repaired = repairedPod(set, pod);
      if (repaired === undefined) return;
      const what = `update Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
      await reported(
        recorder,
        set,
        { verb: "Update", what, words: forPod },
        () => client.resource(podsRef).update(repaired),
        isConflict,
      );
    },
    RepairClaims: ({ pod }, state) => repairClaims(state, pod),
    async DeletePod({ pod, reason }, { set }) {
      const { name, uid, namespace = "" } = pod.metadata;
      if (reason === "failed") {
        const message = `StatefulSet ${namespace}/${set.metadata.name} is recreating failed Pod ${name}`;
        recorder.event(referenceTo(statefulSets, set), "Warning", "RecreatingFailedPod", message);
      }
      const what = `delete Pod ${name} in StatefulSet ${set.metadata.name}`;
      const resource = client.resource(podsRef).namespace(namespace);
      const remove = () => resource.delete(name, { preconditions: { uid } });
      await reported(recorder, set, { verb: "Delete", what, words: forPod }, remove, isNotFound).catch((error) => {
        if (!isNotFound(error)) throw error;
      });
    },
    DropRevisions: ({ revisions }) => keeper.drop(revisions),
  });

  return async (actions, state, key) => {
    await carryOut(
      actions.filter((action) => !isAboutPods(action)),
      state,
      key,
    );
    const aboutPods = actions.filter(isAboutPods);
    const { error } = await slowStartBatch(aboutPods.length, (i) => carryOut(aboutPods.slice(i, i + 1), state, key));
    if (error !== undefined) throw error;
  };
}

/** Performs a write of an object of the set, and records its result as an event. */
async function reported(
  recorder: EventRecorder,
  set: StatefulSet,
  { verb, what, words: [done, failed] }: Report,
  work: () => Promise<unknown>,
  isExpected: (error: unknown) => boolean,
): Promise<void> {
  const reference = referenceTo(statefulSets, set);
  try {
    await work();
    recorder.event(reference, "Normal", `Successful${verb}`, `${what} ${done}`);
  } catch (error) {
    if (!isExpected(error)) {
      recorder.event(reference, "Warning", `Failed${verb}`, `${what} ${failed} ${messageOf(error)}`);
    }
    throw error;
  }
}

/** The message of an event about a write. */
interface Report {
  readonly verb: "Create" | "Update" | "Delete";
  readonly what: string;
  readonly words: readonly [done: string, failed: string];
}

/** The writes of the claims of pods. */
function claimWrites({ client, recorder }: Pick<ControllerContext, "client" | "recorder">) {
  const createClaims = async ({ set, claim: claimOf }: RevisedState, podName: string): Promise<void> => {
    const { name: setName, namespace = "" } = set.metadata;
    const resource = client.resource(persistentVolumeClaims).namespace(namespace);
    for (const claim of claimsOf(set, podName)) {
      if (claimOf(claim.metadata.name) !== undefined) continue;
      const what = `create Claim ${claim.metadata.name} Pod ${podName} in StatefulSet ${setName}`;
      const report = { verb: "Create", what, words: ["success", "failed error:"] } as const;
      await reported(recorder, set, report, () => resource.create(claim), isAlreadyExists).catch((error) => {
        if (!isAlreadyExists(error)) throw error;
      });
    }
  };
  /** Sets the owners of the pod's claims according to the set's retention policy. */
  const repairClaims = async ({ set, claim: claimOf }: RevisedState, pod: Pod): Promise<void> => {
    for (const { metadata } of claimsOf(set, pod.metadata.name)) {
      const claim = claimOf(metadata.name);
      const ownerReferences = claim && claimOwners(set, pod, claim);
      if (claim === undefined || ownerReferences === undefined) continue;
      const repaired = { ...claim, metadata: { ...claim.metadata, ownerReferences } };
      await client.resource(persistentVolumeClaims).update(repaired);
    }
  };
  return { createClaims, repairClaims };
}
