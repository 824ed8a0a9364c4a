import type { apps, core } from "@orchernetes/api";
import { controllerRef, isNotFound, type Stored } from "@orchernetes/apimachinery";
import type { Client, ResourceRef } from "@orchernetes/client";
import { controllerRevisions } from "../refs.ts";
import { keepCurrentRevision, RevisionCollision } from "./keep-current-revision.ts";
import type { Revision, RevisionOwner } from "./revisions.ts";

/** A set whose templates are stored as revisions. */
type Versioned = apps.DaemonSet | apps.StatefulSet;

/** Creates and deletes the revisions of sets. */
export interface RevisionKeeper<O extends Versioned> {
  /**
   * The revision of the set's current template, which is created or updated if necessary. If its name is taken, the
   * set's collision count is incremented before this throws, so that the next attempt uses another name.
   *
   * @throws RevisionCollision; ApiError
   */
  current(set: Stored<O>, history: readonly Revision[]): Promise<Revision>;
  /** Deletes revisions. Missing ones are ignored. */
  drop(revisions: readonly Revision[]): Promise<void>;
}

/** Creates the keeper for one kind of set. */
export function createRevisionKeeper<O extends Versioned>(
  client: Client,
  ref: ResourceRef<O>,
  hash: Pick<RevisionOwner, "hashLabel" | "hashOf">,
): RevisionKeeper<O> {
  return {
    async current(set, history) {
      const collisionCount = set.status?.collisionCount ?? 0;
      const template: core.PodTemplateSpec = set.spec.template;
      const owner = { object: set, ref: controllerRef(ref, set), template, collisionCount, ...hash };
      try {
        return await keepCurrentRevision(client, owner, history);
      } catch (error) {
        if (error instanceof RevisionCollision) {
          const status = { ...set.status, collisionCount: collisionCount + 1 };
          await client.resource(ref).updateStatus({ ...set, status });
        }
        throw error;
      }
    },
    async drop(revisions) {
      for (const { metadata } of revisions) {
        const { name, namespace = "" } = metadata;
        const deleting = client.resource(controllerRevisions).namespace(namespace).delete(name);
        await deleting.catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
      }
    },
  };
}
