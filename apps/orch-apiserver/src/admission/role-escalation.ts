import { rbac } from "@orchernetes/api";
import { type ApiObject, forbidden } from "@orchernetes/apimachinery";
import type { AdmissionContext, AdmissionPlugin, MutatingAttributes } from "@orchernetes/apiserver";
import { describeRights, missingRights } from "@orchernetes/auth";
import { reviewAccess } from "../authorization/review-access.ts";
import type { Rights } from "../authorization/rights.ts";
import type { ConfiguredPlugin } from "./shared/plugin.ts";

const group = "rbac.authorization.o8s.io";
const roleResources: readonly string[] = ["roles", "clusterroles"];
const bindingResources: readonly string[] = ["rolebindings", "clusterrolebindings"];
const everything: readonly rbac.PolicyRule[] = [
  { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
  { nonResourceURLs: ["*"], verbs: ["*"] },
];

type Target = Pick<MutatingAttributes, "resource" | "namespace" | "name" | "user">;

/** The garbage collector may change owners and finalizers, regardless of the rights that the object grants. */
function leavesRightsAlone(object: ApiObject, old: ApiObject | undefined): boolean {
  if (old === undefined) return false;
  const essence = ({ metadata, ...rest }: ApiObject): string => {
    const { ownerReferences: _o, finalizers: _f, managedFields: _m, resourceVersion: _r, ...others } = metadata;
    const { kind: _k, apiVersion: _a, ...body } = rest as Record<string, unknown>;
    return JSON.stringify([others, body]);
  };
  return essence(object) === essence(old);
}

/** The rules that the user may pass on. */
function heldRules({ user, namespace }: Target, sources: Rights["ruleSources"]): readonly rbac.PolicyRule[] {
  return sources.flatMap((source) => (source.grantable === false ? [] : source.rulesFor(user, namespace)));
}

/** Refuses to grant what the user does not hold. */
function confirm(target: Target, wanted: readonly rbac.PolicyRule[], { ruleSources }: Rights): void {
  const { user } = target;
  const missing = missingRights(heldRules(target, ruleSources), wanted);
  if (missing.length === 0) return;
  const errors = ruleSources.flatMap((source) => (source.grantable === false ? [] : (source.unresolved?.(user) ?? [])));
  const groups = `[${user.groups.map((one) => JSON.stringify(one)).join(" ")}]`;
  const who = `user ${JSON.stringify(user.name)} (groups=${groups})`;
  const what = `is attempting to grant RBAC permissions not currently held:\n${describeRights(missing).join("\n")}`;
  refuse(target, `${who} ${what}${errors.length === 0 ? "" : `; resolution errors: [${errors.join(" ")}]`}`);
}

function refuse({ resource, name }: Target, reason: string): never {
  throw forbidden({ group, plural: resource.resource }, name, reason);
}

async function mayVerb(
  { user, namespace }: Target,
  verb: string,
  what: { readonly resource: string; readonly name: string },
  { authorizers }: Rights,
): Promise<boolean> {
  const request = { apiGroup: group, apiVersion: "v1", subresource: "", path: "", resourceRequest: true };
  const { allowed } = await reviewAccess(authorizers, { user, verb, namespace, ...what, ...request });
  return allowed;
}

async function checkRole(attributes: MutatingAttributes, rights: Rights): Promise<void> {
  const { resource, operation } = attributes;
  const name = operation === "CREATE" ? "" : attributes.name;
  if (await mayVerb(attributes, "escalate", { resource: resource.resource, name }, rights)) return;
  const role = attributes.object as rbac.ClusterRole;
  const old = attributes.oldObject as rbac.ClusterRole | undefined;
  if (leavesRightsAlone(role, old)) return;
  confirm(attributes, role.rules ?? [], rights);
  // What such a role aggregates later cannot be known now.
  if (role.aggregationRule === undefined && old?.aggregationRule === undefined) return;
  const held = heldRules(attributes, rights.ruleSources);
  if (missingRights(held, everything).length > 0) {
    refuse(attributes, "must have cluster-admin privileges to use the aggregationRule");
  }
}

async function checkBinding(attributes: MutatingAttributes, rights: Rights, context: AdmissionContext): Promise<void> {
  const binding = attributes.object as rbac.RoleBinding;
  if (leavesRightsAlone(binding, attributes.oldObject)) return;
  const { kind, name } = binding.roleRef;
  const clusterWide = kind === "ClusterRole";
  const what = { resource: clusterWide ? "clusterroles" : "roles", name };
  if (await mayVerb(attributes, "bind", what, rights)) return;
  const { registry, signal } = context;
  const role = clusterWide
    ? await registry.forDefinition(rbac.clusterRoles).get({ namespace: "", name }, { signal })
    : await registry.forDefinition(rbac.roles).get({ namespace: attributes.namespace, name }, { signal });
  confirm(attributes, role.rules ?? [], rights);
}

/**
 * A user cannot grant rights that they do not have, by a role or by binding one, unless they have the verb `escalate` on the role or
 * `bind` on the role that is bound. Always on, after all that shapes objects: the original has this in its storage of roles.
 */
function roleEscalation(rights: Rights): AdmissionPlugin {
  return {
    name: "RoleEscalation",
    handles: (operation) => operation === "CREATE" || operation === "UPDATE",
    async admit(attributes, context) {
      const { resource, subresource, object } = attributes;
      if (resource.group !== group || subresource !== "" || object === undefined) return;
      if (roleResources.includes(resource.resource)) await checkRole(attributes, rights);
      else if (bindingResources.includes(resource.resource)) await checkBinding(attributes, rights, context);
    },
  };
}

/** {@link roleEscalation} with the rights of the server's authorizers. */
export const roleEscalationPlugin: ConfiguredPlugin = {
  name: "RoleEscalation",
  create: ({ rights }) => roleEscalation(rights),
};
