import type { apiextensions } from "@orchernetes/api";
import { type Draft, isNotFound } from "@orchernetes/apimachinery";
import type { ResourceStore } from "@orchernetes/apiserver";
import { type ConditionState, isConditionTrue, says, setCondition } from "../definition/conditions.ts";
import { cleanupFinalizer } from "../resource/strategy.ts";

type Definition = apiextensions.CustomResourceDefinition;

/** Whether a definition waits for the deletion of its objects. */
export function needsCleanup({ metadata }: Definition): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(cleanupFinalizer);
}

/** The condition while objects are left. */
const inProgress: ConditionState = {
  type: "Terminating",
  status: "True",
  reason: "InstanceDeletionInProgress",
  message: "CustomResource deletion is in progress",
};

/** The condition when no object is left, shortly before the definition itself is gone. */
const completed: ConditionState = {
  type: "Terminating",
  status: "False",
  reason: "InstanceDeletionCompleted",
  message: "removed all instances",
};

/** What removing a definition's objects needs. */
export interface CleanupContext {
  readonly definitions: ResourceStore<Definition>;
  /** The definition's objects; undefined when there can be none. */
  readonly objects: ResourceStore | undefined;
  readonly now: () => Date;
}

/**
 * Deletes the objects of a definition that is being deleted; when none is left, removes the finalizer of the definition.
 *
 * The resource stays served meanwhile: objects may have finalizers of their own, and the controllers that remove those need the API.
 * Nothing can be created any more. Repeating this is safe, and needed until the last object is gone.
 *
 * @returns whether it is done; otherwise objects wait for their finalizers
 */
export async function cleanUp(definition: Definition, context: CleanupContext): Promise<boolean> {
  const { definitions, objects } = context;
  const ref = { namespace: "", name: definition.metadata.name ?? "" };
  const setState = (state: ConditionState) =>
    definitions.update(
      ref,
      (draft, current) => {
        if (says(current, state)) return false;
        setCondition(draft as Draft<Definition>, state, context.now());
        return true;
      },
      { subresource: "status" },
    );
  if (objects !== undefined && isConditionTrue(definition, "Established")) {
    await setState(inProgress);
    if ((await deleteAll(objects)) > 0) return false;
  }
  await setState(completed);
  await definitions.update(ref, (draft) => {
    const kept = (draft.metadata.finalizers ?? []).filter((name) => name !== cleanupFinalizer);
    draft.metadata.finalizers = kept.length === 0 ? undefined : kept;
  });
  return true;
}

/** Deletes every object; returns how many exist afterwards because of their finalizers. */
async function deleteAll(objects: ResourceStore): Promise<number> {
  const { items } = await objects.list();
  let left = 0;
  for (const { metadata } of items) {
    if (metadata.deletionTimestamp !== undefined) {
      left++;
      continue;
    }
    try {
      const { removed } = await objects.delete({ namespace: metadata.namespace ?? "", name: metadata.name });
      if (!removed) left++;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return left;
}
