import { type ApiObject, isMethodNotSupported, isNotFound, type Stored } from "@orchernetes/apimachinery";
import { type Client, type ObjectList, resourcePath } from "@orchernetes/client";
import type { DiscoveredResource, DiscoveryResult } from "../../shared/discovery.ts";
import type { DeletionResult } from "./conditions.ts";

/** What one attempt did, and how long what it began may take. */
export interface Attempt extends DeletionResult {
  /** Seconds until what is left should be gone; 0 when nothing is. */
  readonly estimateSeconds: number;
}

/** How long finalizers are given when nothing better is known. */
const finalizerSeconds = 15;

/**
 * Deletes everything in a namespace that the server lets one delete, in the background, and tells what is left. Resources are
 * worked on side by side; those without objects cost one short list.
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
      // A resource whose definition has just gone has no objects either.
      if (!isNotFound(error)) deletionErrors.push(error instanceof Error ? error.message : String(error));
    }
  };
  await Promise.all(deletable.map(work));
  const discoveryErrors = [...discovered.failures].map(([groupVersion, reason]) => `${groupVersion}: ${reason}`);
  return { deletionErrors: deletionErrors.sort(), discoveryErrors, remaining, finalizers, estimateSeconds };
}

const accept = "application/json;as=PartialObjectMetadataList;g=meta.o8s.io;v=v1,application/json";

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
