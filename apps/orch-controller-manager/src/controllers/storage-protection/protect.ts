import { type ApiObject, isNotFound, type Stored } from "@orchernetes/apimachinery";
import type { Client, ResourceRef } from "@orchernetes/client";
import { inOrder, type Plan } from "@orchernetes/controller";
import { finalizerChange, withFinalizer } from "./finalizer.ts";

/** An object that must stay while it is used. */
export interface Protected<T extends ApiObject> {
  readonly object: Stored<T>;
  readonly isUsed: () => boolean;
}

/** What is done about the finalizer of an object. */
export interface ChangeFinalizer {
  readonly type: "AddFinalizer" | "RemoveFinalizer";
}

/** The decision of a protecting controller. */
export const protect =
  (finalizer: string) =>
  ({ object, isUsed }: Protected<ApiObject>): Plan<ChangeFinalizer> => {
    const change = finalizerChange(object, finalizer, isUsed);
    if (change === "keep") return { actions: [] };
    return { actions: [{ type: change === "add" ? "AddFinalizer" : "RemoveFinalizer" }] };
  };

/**
 * Carries out what {@link protect} decides.
 * @param isUsedSaysServer asked before a finalizer goes, where caches may be behind
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
