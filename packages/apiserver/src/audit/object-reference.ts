import type { RequestInfo } from "../interfaces/index.ts";
import type { AuditedObjectReference } from "./event-fields.ts";

/** The object that the path of a request names; undefined for other paths. */
export function referenceOf(info: RequestInfo): AuditedObjectReference | undefined {
  if (!info.isResourceRequest) return undefined;
  const { resource, namespace, name, apiGroup, apiVersion, subresource } = info;
  return { resource, namespace, name, uid: "", apiGroup, apiVersion, resourceVersion: "", subresource };
}

/** Adds what only the body has: the name of an object to create, the version of one to update. */
export function completedBy(reference: AuditedObjectReference, body: object): AuditedObjectReference {
  const { metadata } = body as { metadata?: Readonly<Record<string, unknown>> | null };
  if (typeof metadata !== "object" || metadata === null) return reference;
  const from = (own: string, field: string): string => {
    const value = metadata[field];
    return own === "" && typeof value === "string" ? value : own;
  };
  return {
    ...reference,
    namespace: from(reference.namespace, "namespace"),
    name: from(reference.name, "name"),
    uid: from(reference.uid, "uid"),
    resourceVersion: from(reference.resourceVersion, "resourceVersion"),
  };
}
