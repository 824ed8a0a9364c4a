import type { ApiObject } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, AdmissionContext } from "@orchernetes/apiserver";
import { reviewAccess } from "../authorization/review-access.ts";
import type { Rights } from "../authorization/rights.ts";
import { isAbout, refusal } from "./shared/attributes.ts";
import { isSame } from "./shared/is-same.ts";
import type { ConfiguredPlugin } from "./shared/plugin.ts";

type OwnerReference = NonNullable<ApiObject["metadata"]["ownerReferences"]>[number];

const ownersOf = (object: ApiObject | undefined): readonly OwnerReference[] => object?.metadata?.ownerReferences ?? [];

/** References that block the deletion of their owner and did not before. */
function newlyBlocking(object: ApiObject | undefined, oldObject: ApiObject | undefined): readonly OwnerReference[] {
  const blocking = (references: readonly OwnerReference[]) => references.filter((owner) => owner.blockOwnerDeletion);
  const before = new Set(blocking(ownersOf(oldObject)).map(({ uid }) => uid));
  return blocking(ownersOf(object)).filter(({ uid }) => !before.has(uid));
}

const request = { path: "", resourceRequest: true };

/** The reason of a decision and its error, as messages show both. */
const because = ({ reason = "", evaluationError }: Awaited<ReturnType<typeof reviewAccess>>) =>
  `${reason}, ${evaluationError ?? "<nil>"}`;

async function checkOwner(
  owner: OwnerReference,
  attributes: AdmissionAttributes,
  { authorizers }: Rights,
  { registry }: AdmissionContext,
): Promise<void> {
  const { apiVersion, kind, name } = owner;
  const slash = apiVersion.indexOf("/");
  const [group, version] = slash < 0 ? ["", apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
  const definition = registry.lookupKind(group, version, kind)?.definition;
  if (definition === undefined)
    throw refusal(
      attributes,
      `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`,
    );
  const decision = await reviewAccess(authorizers, {
    user: attributes.user,
    verb: "update",
    apiGroup: group,
    apiVersion: version,
    resource: definition.plural,
    subresource: "finalizers",
    name,
    // An owner with a namespace is in that of the dependent.
    namespace: definition.scope === "Namespaced" ? attributes.namespace : "",
    ...request,
  });
  if (!decision.allowed)
    throw refusal(
      attributes,
      `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${because(decision)}`,
    );
}

async function checkOwners(attributes: AdmissionAttributes, rights: Rights, context: AdmissionContext): Promise<void> {
  const { operation, user, resource, subresource, namespace, name, object, oldObject } = attributes;
  // Who creates an object might as well leave it uncreated.
  if (operation !== "CREATE") {
    const { group: apiGroup, version: apiVersion, resource: plural } = resource;
    const what = { namespace, apiGroup, apiVersion, resource: plural, subresource, name };
    const decision = await reviewAccess(rights.authorizers, { user, verb: "delete", ...what, ...request });
    if (!decision.allowed)
      throw refusal(attributes, `cannot set an ownerRef on a resource you can't delete: ${because(decision)}`);
  }
  for (const owner of newlyBlocking(object, oldObject)) await checkOwner(owner, attributes, rights, context);
}

/**
 * Plugin OwnerReferencesPermissionEnforcement: who changes the owners of an object must be allowed to delete it, and who blocks the
 * deletion of an owner must be allowed to set its finalizers.
 */
export const ownerReferencesPermissionEnforcement: ConfiguredPlugin = {
  name: "OwnerReferencesPermissionEnforcement",
  create: ({ rights }) => ({
    name: "OwnerReferencesPermissionEnforcement",
    handles: (operation) => operation === "CREATE" || operation === "UPDATE",
    validate(attributes, context) {
      const { object, oldObject, kind, definition } = attributes;
      // Old node agents sent broken owners with the status of pods; its strategy keeps those that are stored.
      if (isAbout(attributes, "", "pods", "status")) return;
      // The object of a subresource such as scale has no owners of its own.
      if (definition !== undefined && kind.kind !== definition.kind) return;
      if (isSame(ownersOf(object), ownersOf(oldObject))) return;
      return checkOwners(attributes, rights, context);
    },
  }),
};
