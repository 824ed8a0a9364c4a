import { type ApiObject, isMethodNotSupported, isNotFound, type Stored } from "@orchernetes/apimachinery";
import { type Client, type ObjectList, resourcePath } from "@orchernetes/client";
import { messageOf } from "@orchernetes/kernel";
import type { DiscoveredResource, DiscoveryResult } from "../../shared/discovery.ts";
import type { DeletionResult } from "./conditions.ts";

/** The result of an attempt, and the estimated time until the remaining objects are gone. */
export interface Attempt extends DeletionResult {
  /** Seconds until the remaining objects should be gone; 0 if there are none. */
  readonly estimateSeconds: number;
}

/** Estimate for objects with finalizers, as in the original. */
const finalizerSeconds = 15;

/**
 * Deletes all deletable objects of a namespace in the background, and reports what is left. Resources are processed
 * concurrently; a resource without objects costs one short list request.
 */
export async function emptyNamespace(client: Client, discovered: DiscoveryResult, namespace: string): Promise<Attempt> {
  const deletionErrors: string[] = [];
  const remaining = new Map<string, number>();
  const finalizers = new Map<string, number>();
  let estimateSeconds = 0;
  const deletable = discovered.resources.filter(
    ({ scope, verbs }) => scope === "Namespaced" && verbs.has("delete") && verbs.has("list"),
  );
  const work = async (resource: DiscoveredResource): Promise<void> => {
    try {
      const before = await listMetadata(client, resource, namespace);
      if (before.length === 0) return;
      await deleteAll(client, resource, namespace, before);
      const after = await listMetadata(client, resource, namespace);
      if (after.length === 0) return;
      remaining.set(`${resource.plural}.${resource.group}`, after.length);
      let seconds = finalizerSeconds;
      for (const { metadata } of after) {
        for (const name of metadata.finalizers ?? []) finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
      }
      if (after.every(({ metadata }) => (metadata.finalizers ?? []).length === 0)) {
        seconds = Math.max(...after.map(({ metadata }) => metadata.deletionGracePeriodSeconds ?? 1));
      }
      estimateSeconds = Math.max(estimateSeconds, seconds);
    } catch (error) {
      // The definition of the resource was just deleted, so it has no objects.
      if (!isNotFound(error)) deletionErrors.push(messageOf(error));
    }
  };
  await Promise.all(deletable.map(work));
  const discoveryErrors = [...discovered.failures].map(([groupVersion, reason]) => `${groupVersion}: ${reason}`);
  return { deletionErrors: deletionErrors.sort(), discoveryErrors, remaining, finalizers, estimateSeconds };
}

/** Only metadata is requested: the objects may be large, and are only counted and deleted. */
const accept = "application/json;as=PartialObjectMetadataList;g=meta.o8s.io;v=v1,application/json";

/** Lists all objects of a resource in pages, which limits the memory of the server. */
async function listMetadata(
  client: Client,
  resource: DiscoveredResource,
  namespace: string,
): Promise<readonly Stored<ApiObject>[]> {
  const path = resourcePath(resource, namespace);
  const items: Stored<ApiObject>[] = [];
  let token: string | undefined;
  do {
    const query = { limit: 500, continue: token };
    const page = (await client.request({ method: "GET", path, query, accept })) as ObjectList<ApiObject>;
    for (const item of page.items ?? []) items.push(item);
    token = page.metadata.continue || undefined;
  } while (token !== undefined);
  return items;
}

/** Deletes all objects with one request if the resource supports it, otherwise one by one. */
async function deleteAll(
  client: Client,
  resource: DiscoveredResource,
  namespace: string,
  objects: readonly Stored<ApiObject>[],
): Promise<void> {
  const typed = client.resource(resource).namespace(namespace);
  const options = { propagationPolicy: "Background" } as const;
  if (resource.verbs.has("deletecollection")) {
    try {
      await typed.deleteCollection({}, options);
      return;
    } catch (error) {
      if (!isMethodNotSupported(error)) throw error;
    }
  }
  await Promise.all(
    objects.map(({ metadata }) =>
      typed.delete(metadata.name, options).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      }),
    ),
  );
}
