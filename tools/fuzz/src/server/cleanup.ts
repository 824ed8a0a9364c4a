import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { everyResource } from "../generate/minimal-objects.ts";
import { collectionPath } from "../generate/target-text.ts";
import type { JsonClient } from "./json-client.ts";

interface Listed {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly finalizers?: readonly string[] };
}

const stored = everyResource.filter(
  ({ storagePrefix, verbs, storedAs }) =>
    storagePrefix !== undefined && verbs.includes("delete") && storedAs === undefined,
);

async function list(client: JsonClient, definition: ResourceDefinition): Promise<readonly Listed[]> {
  const { code, text } = await client.send("GET", collectionPath(definition, ""));
  if (code === 404) return [];
  if (code !== 200) throw new Error(`cannot list ${definition.plural}: ${code} ${text.slice(0, 300)}`);
  return (JSON.parse(text) as { readonly items: readonly Listed[] | null }).items ?? [];
}

const idOf = (definition: ResourceDefinition, { metadata }: Listed): string =>
  `${definition.plural}.${definition.group}/${metadata.namespace ?? ""}/${metadata.name}`;

/**
 * Identifies all objects that exist now, so that {@link cleanUp} keeps them.
 * @throws Error when a list fails
 */
export async function snapshot(client: JsonClient): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (const definition of stored)
    for (const object of await list(client, definition)) ids.add(idOf(definition, object));
  return ids;
}

/**
 * Deletes all objects created since the snapshot, regardless of finalizers and grace periods.
 * @returns the objects that could not be deleted
 * @throws Error when a list fails
 */
export async function cleanUp(client: JsonClient, keep: ReadonlySet<string>): Promise<readonly string[]> {
  const left: string[] = [];
  for (const definition of stored) {
    for (const object of await list(client, definition)) {
      const id = idOf(definition, object);
      if (keep.has(id)) continue;
      const { name, namespace = "", finalizers = [] } = object.metadata;
      const path = `${collectionPath(definition, namespace)}/${encodeURIComponent(name)}`;
      if (finalizers.length > 0)
        await client.send("PATCH", path, { metadata: { finalizers: null } }, "application/merge-patch+json");
      const { code } = await client.send("DELETE", path, { gracePeriodSeconds: 0, propagationPolicy: "Background" });
      // No controller runs that would empty the namespace and finalize it.
      if (definition.plural === "namespaces") {
        await client.send("PUT", `${path}/finalize`, {
          kind: "Namespace",
          apiVersion: "v1",
          metadata: { name },
          spec: { finalizers: [] },
        });
      }
      if (code >= 300 && code !== 404 && code !== 409) left.push(`${id} (${code})`);
    }
  }
  return left;
}
