import { type ApiObject, controllerRef, isInvalid, isNotFound, type Stored } from "@orchernetes/apimachinery";
import type { Client, ResourceRef } from "@orchernetes/client";
import type { Claims } from "./claims.ts";

/** The owner for which claims are carried out, and how its dependents are patched. */
export interface ClaimContext<O extends ApiObject, T extends ApiObject> {
  readonly client: Client;
  readonly ownerRef: ResourceRef<O>;
  readonly owner: Stored<O>;
  readonly ref: ResourceRef<T>;
  /** Finalizers that are added to adopted objects. */
  readonly finalizers?: readonly string[];
}

/**
 * Adopts and releases objects by patches that contain the uid, so that they fail for another object of the same name. Resolves
 * with the objects that are owned afterwards. Before the first adoption the owner is read from the server: if it was deleted, or
 * deleted and created again, the caches are stale and adopting would take objects from their rightful owner.
 *
 * @throws Error when the owner is no longer what the cache says; ApiError of a patch. Objects that do not exist are skipped.
 */
export async function carryOutClaims<O extends ApiObject, T extends ApiObject>(
  claims: Claims<T>,
  context: ClaimContext<O, T>,
): Promise<readonly Stored<T>[]> {
  const { owned, adopt, release } = claims;
  if (adopt.length === 0 && release.length === 0) return owned;
  const { owner, ref, finalizers } = context;
  const all = [...owned];
  const patch = (object: Stored<T>, metadata: Readonly<Record<string, unknown>>): Promise<Stored<T>> =>
    context.client
      .resource(ref)
      .namespace(object.metadata.namespace ?? "")
      .patch(object.metadata.name, { metadata: { ...metadata, uid: object.metadata.uid } }, { type: "strategic" });
  if (adopt.length > 0) {
    await checkOwner(context);
    const ownerReference = controllerRef(context.ownerRef, owner);
    for (const object of adopt) {
      const metadata = { ownerReferences: [ownerReference], ...(finalizers === undefined ? {} : { finalizers }) };
      const adopted = await patch(object, metadata).catch(ifGone);
      if (adopted !== undefined) all.push(adopted);
    }
  }
  for (const object of release) {
    const metadata = {
      ownerReferences: [{ $patch: "delete", uid: owner.metadata.uid }],
      ...(finalizers === undefined ? {} : { "$deleteFromPrimitiveList/finalizers": finalizers }),
    };
    // Invalid: the object of that name has another uid, or no owners any more.
    await patch(object, metadata).catch((error: unknown) => (isInvalid(error) ? undefined : ifGone(error)));
  }
  return all;
}

function ifGone(error: unknown): undefined {
  if (isNotFound(error)) return undefined;
  throw error;
}

async function checkOwner<O extends ApiObject, T extends ApiObject>(context: ClaimContext<O, T>): Promise<void> {
  const { client, ownerRef, owner } = context;
  const { name, namespace = "", uid } = owner.metadata;
  const fresh = await client.resource(ownerRef).namespace(namespace).get(name);
  const what = `${ownerRef.kind} ${namespace}/${name}`;
  if (fresh.metadata.uid !== uid) {
    throw new Error(
      `cannot adopt for ${what}: it was deleted and created again (uid ${fresh.metadata.uid}, not ${uid})`,
    );
  }
  if (fresh.metadata.deletionTimestamp !== undefined) {
    throw new Error(`cannot adopt for ${what}: it has been terminating since ${fresh.metadata.deletionTimestamp}`);
  }
}
