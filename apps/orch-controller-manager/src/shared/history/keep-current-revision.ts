import { isAlreadyExists } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import { controllerRevisions } from "../refs.ts";
import { semanticEqual } from "../semantic-equal.ts";
import { currentRevision, type Revision, type RevisionOwner } from "./revisions.ts";

/** The name belongs to a revision with other data. Incrementing the collision count gives another name. */
export class RevisionCollision extends Error {
  override readonly name = "RevisionCollision";
}

/**
 * Creates or updates the revision of the owner's current template if necessary.
 *
 * @throws RevisionCollision if the name is taken; ApiError
 */
export async function keepCurrentRevision(
  client: Client,
  owner: RevisionOwner,
  revisions: readonly Revision[],
): Promise<Revision> {
  const resource = client.resource(controllerRevisions).namespace(owner.object.metadata.namespace ?? "");
  const current = currentRevision(owner, revisions);
  if (current.type === "there") return current.revision;
  if (current.type === "renew") return resource.update(current.revision);
  const { revision } = current;
  try {
    return await resource.create(revision);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const existing = await resource.get(revision.metadata.name);
    // An earlier attempt created the revision, but its response was lost or the cache lags.
    if (semanticEqual(existing.data, revision.data)) return existing;
    throw new RevisionCollision(`ControllerRevision ${revision.metadata.name} exists with other data`, {
      cause: error,
    });
  }
}
