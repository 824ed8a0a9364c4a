import { type ApiObject, isNotFound, type Stored } from "@orchernetes/apimachinery";
import type { Client, ResourceRef } from "@orchernetes/client";
import { inOrder, type Plan } from "@orchernetes/controller";

/** An object that must not be deleted while it is in use. */
export interface Protected<T extends ApiObject> {
  readonly object: Stored<T>;
  readonly isUsed: () => boolean;
}

/** Adds or removes the finalizer of an object. */
export interface ChangeFinalizer {
  readonly type: "AddFinalizer" | "RemoveFinalizer";
}

/** The reconcile function of a protecting controller. */
export const protect =
  (finalizer: string) =>
  ({ object, isUsed }: Protected<ApiObject>): Plan<ChangeFinalizer> => {
    const change = finalizerChange(object, finalizer, isUsed);
    if (change === "keep") return { actions: [] };
    return { actions: [{ type: change === "add" ? "AddFinalizer" : "RemoveFinalizer" }] };
  };

/**
 * The handler of the action of {@link protect}.
 *
 * @param isUsedSaysServer called before a finalizer is removed, if the caches may lag
 */
export function changeFinalizer<T extends ApiObject>(
  client: Client,
  ref: ResourceRef<T>,
  finalizer: string,
  isUsedSaysServer: (object: Stored<T>) => Promise<boolean> = async () => false,
) {
  const write = async (object: Stored<T>, change: "add" | "remove"): Promise<void> => {
    try {
      await client.resource(ref).update(withFinalizer(object, finalizer, change));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };
  return inOrder<ChangeFinalizer, Protected<T>>({
    AddFinalizer: (_, { object }) => write(object, "add"),
    async RemoveFinalizer(_, { object }) {
      if (!(await isUsedSaysServer(object))) await write(object, "remove");
    },
  });
}

/** What a protecting controller does with its finalizer. */
export type FinalizerChange = "add" | "remove" | "keep";

/**
 * All objects get the finalizer. When an object is deleted, the finalizer is removed once the object is not in use.
 * Pure.
 */
export function finalizerChange({ metadata }: ApiObject, finalizer: string, isUsed: () => boolean): FinalizerChange {
  const has = metadata.finalizers?.includes(finalizer) ?? false;
  if (metadata.deletionTimestamp === undefined) return has ? "keep" : "add";
  return has && !isUsed() ? "remove" : "keep";
}

/** A copy of the object with or without the finalizer. */
export function withFinalizer<T extends Stored<ApiObject>>(object: T, finalizer: string, change: "add" | "remove"): T {
  const { metadata } = object;
  const others = (metadata.finalizers ?? []).filter((name) => name !== finalizer);
  return { ...object, metadata: { ...metadata, finalizers: change === "add" ? [...others, finalizer] : others } };
}
