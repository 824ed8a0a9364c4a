import { core } from "@orchernetes/api";
import { ApiError, forbidden, isNotFound, notFound } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, AdmissionContext, AdmissionPlugin } from "@orchernetes/apiserver";
import { groupResource, refusal } from "./shared/attributes.ts";
import { withKnown } from "./shared/plugin.ts";

/** Namespaces that the cluster cannot do without. */
const PROTECTED = new Set(["default", "orch-system", "orch-public"]);

/** Review kinds that ask about a namespace without living in it. */
const ACCESS_REVIEWS = new Set(["localsubjectaccessreviews"]);

function currentNamespace(
  attributes: AdmissionAttributes,
  context: AdmissionContext,
): core.Namespace | Promise<core.Namespace | undefined> {
  const store = context.registry.forDefinition(core.namespaces);
  const ref = { namespace: "", name: attributes.namespace };
  // The cache may not have seen a namespace that was just created: check the store before denying.
  return (
    store.cached(ref) ??
    store.get(ref, { signal: context.signal }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    })
  );
}

function checkNamespace(namespace: core.Namespace | undefined, attributes: AdmissionAttributes): void {
  if (namespace === undefined) throw notFound({ group: "", plural: "namespaces" }, attributes.namespace);
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

/**
 * Plugin NamespaceLifecycle: nothing is created in a namespace that is missing or going away, and the namespaces that the
 * cluster stands on cannot be deleted.
 */
export const namespaceLifecycle: AdmissionPlugin = {
  name: "NamespaceLifecycle",
  handles: (operation) => operation !== "CONNECT",
  admit(attributes, context) {
    const { operation, resource, name } = attributes;
    const isNamespace = resource.group === "" && resource.resource === "namespaces";
    if (operation === "DELETE" && isNamespace && PROTECTED.has(name))
      throw forbidden(groupResource(resource), name, "this namespace may not be deleted");
    // Only creates are refused: what is there may still be changed and must be removable.
    if (operation !== "CREATE" || attributes.namespace === "" || isNamespace || ACCESS_REVIEWS.has(resource.resource))
      return;
    const seen = attributes as AdmissionAttributes;
    return withKnown(currentNamespace(seen, context), (namespace) => checkNamespace(namespace, seen));
  },
};
