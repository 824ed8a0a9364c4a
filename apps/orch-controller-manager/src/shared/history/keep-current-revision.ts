import { isAlreadyExists } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import { controllerRevisions } from "../refs.ts";
import { semanticEqual } from "../semantic-equal.ts";
import { currentRevision, type Revision, type RevisionOwner } from "./revisions.ts";

/** The name is taken by a revision of something else: another collision count gives another name. */
export class RevisionCollision extends Error {
  override readonly name = "RevisionCollision";
}

/**
 * Creates or renews the revision of the owner's present template where needed.
 *
 * @throws RevisionCollision when the name is taken; ApiError
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
    // Made by an earlier attempt whose answer was lost, or which the cache does not show yet.
    if (semanticEqual(existing.data, revision.data)) return existing;
    throw new RevisionCollision(`ControllerRevision ${revision.metadata.name} exists with other data`, {
      cause: error,
    });
  }
}
