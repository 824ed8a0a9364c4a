import { core } from "@orchernetes/api";
import { ApiError, forbidden, isNotFound, notFound } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, AdmissionContext, AdmissionPlugin } from "@orchernetes/apiserver";
import { groupResource, refusal } from "./shared/attributes.ts";
import { type ConfiguredPlugin, withKnown } from "./shared/plugin.ts";

/** Namespaces that the cluster cannot do without. */
const PROTECTED = new Set(["default", "orch-system", "orch-public"]);

/** Review kinds that ask about a namespace without living in it. */
const ACCESS_REVIEWS = new Set(["localsubjectaccessreviews"]);

/** @param deleted whether it was deleted a short time ago: then the cache may still have it as active */
function currentNamespace(
  attributes: AdmissionAttributes,
  context: AdmissionContext,
  deleted: boolean,
): core.Namespace | Promise<core.Namespace | undefined> {
  const store = context.registry.forDefinition(core.namespaces);
  const ref = { namespace: "", name: attributes.namespace };
  const cached = store.cached(ref);
  if (cached !== undefined && !(deleted && cached.status.phase === "Active")) return cached;
  // The cache may not have seen a namespace that was just created: check the store before denying.
  return store.get(ref, { signal: context.signal }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}

function checkNamespace(namespace: core.Namespace | undefined, attributes: AdmissionAttributes): void {
  if (namespace === undefined) throw notFound({ group: "", plural: "namespaces" }, attributes.namespace);
  // What is there may still be changed.
  if (attributes.operation !== "CREATE") return;
  if (namespace.status.phase === "Terminating" || namespace.metadata.deletionTimestamp !== undefined)
    throw terminating(attributes);
}

function terminating(attributes: AdmissionAttributes): ApiError {
  const { namespace } = attributes;
  const error = refusal(
    attributes,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  const { status } = error;
  const cause = {
    reason: "NamespaceTerminating",
    message: `namespace ${namespace} is being terminated`,
    field: "metadata.namespace",
  };
  return new ApiError({
    ...status,
    details: { ...status.details, causes: [...(status.details?.causes ?? []), cause] },
  });
}

/** How long a namespace whose deletion was asked for is read from the store, in milliseconds. */
const RECENT_MS = 30_000;
/** Deleted namespaces that are remembered; the oldest is forgotten first. */
const MAX_RECENT = 100;

/**
 * Plugin NamespaceLifecycle: nothing is created in a namespace that is missing or going away, nothing is changed in one that is
 * missing, and the namespaces that the cluster stands on cannot be deleted.
 */
function createNamespaceLifecycle(): AdmissionPlugin {
  /** Until when the watch cache is not trusted to know of a deletion. */
  const recent = new Map<string, number>();
  const noteDeletion = (name: string, nowMs: number) => {
    recent.delete(name);
    recent.set(name, nowMs + RECENT_MS);
    const [oldest = name] = recent.keys();
    if (recent.size > MAX_RECENT) recent.delete(oldest);
  };
  return {
    name: "NamespaceLifecycle",
    handles: (operation) => operation !== "CONNECT",
    admit(attributes, context) {
      const { operation, resource } = attributes;
      // Deletions of collections have no name.
      const name = attributes.oldObject?.metadata.name ?? attributes.name;
      if (resource.group === "" && resource.resource === "namespaces") {
        if (operation !== "DELETE") return;
        if (PROTECTED.has(name)) throw forbidden(groupResource(resource), name, "this namespace may not be deleted");
        return noteDeletion(name, context.now.getTime());
      }
      // What is there must be removable.
      if (operation === "DELETE" || attributes.namespace === "" || ACCESS_REVIEWS.has(resource.resource)) return;
      const seen = attributes as AdmissionAttributes;
      const isRecent = (recent.get(attributes.namespace) ?? 0) > context.now.getTime();
      return withKnown(currentNamespace(seen, context, isRecent), (namespace) => checkNamespace(namespace, seen));
    },
  };
}

/** {@link createNamespaceLifecycle}; every server remembers its own deletions. */
export const namespaceLifecycle: ConfiguredPlugin = { name: "NamespaceLifecycle", create: createNamespaceLifecycle };
