import { rbac } from "@orchernetes/api";
import { type ApiObject, isAlreadyExists, isNotFound, type ResourceDefinition } from "@orchernetes/apimachinery";
import type { Registry } from "@orchernetes/apiserver";
import type { PostStartHook } from "../../post-start/hooks.ts";
import { type BootstrapBinding, bindController } from "./binding.ts";
import { clusterBindings, namespaceBindings } from "./bindings.ts";
import { componentRoles } from "./component-roles.ts";
import { controllerRoles } from "./controller-roles.ts";
import { gatedControllerRoles } from "./gated-controller-roles.ts";
import { namespaceRoles } from "./namespace-roles.ts";
import type { BootstrapRole } from "./rule.ts";
import { userRoles } from "./user-roles.ts";

const LABELS = { "orchernetes.io/bootstrapping": "rbac-defaults" };
const AUTOUPDATE = "rbac.authorization.orchernetes.io/autoupdate";

type Rule = rbac.PolicyRule;

const subset = (part: readonly string[] | undefined, whole: readonly string[] | undefined): boolean =>
  (part ?? []).every((p) => whole?.includes(p) || whole?.includes("*"));

/** Whether `present` allows at least what `wanted` does, rule by rule. */
const covers = (present: Rule, wanted: Rule): boolean =>
  subset(wanted.verbs, present.verbs) &&
  subset(wanted.apiGroups, present.apiGroups) &&
  subset(wanted.resources, present.resources) &&
  subset(wanted.nonResourceURLs, present.nonResourceURLs) &&
  (!present.resourceNames?.length ||
    (Boolean(wanted.resourceNames?.length) && subset(wanted.resourceNames, present.resourceNames)));

/** The rules of `wanted` that `present` lacks: an administrator's own additions stay, what was taken away comes back. */
function missingRules(present: readonly Rule[], wanted: readonly Rule[]): readonly Rule[] {
  return wanted.filter((rule) => !present.some((p) => covers(p, rule)));
}

/** The rules of every role whose labels match one of the selectors. */
export function aggregatedRules(
  selections: readonly Readonly<Record<string, string>>[],
  roles: readonly BootstrapRole[],
): readonly Rule[] {
  const chosen = roles.filter((role) =>
    selections.some((labels) => Object.entries(labels).every(([key, value]) => role.labels?.[key] === value)),
  );
  return chosen.flatMap((role) => (role.aggregate ? aggregatedRules(role.aggregate, roles) : role.rules));
}

async function reconcile<T extends ApiObject>(
  registry: Registry,
  definition: ResourceDefinition<T>,
  wanted: T,
  merge: (present: T) => T | undefined,
): Promise<void> {
  const store = registry.forDefinition(definition);
  const ref = { namespace: wanted.metadata.namespace ?? "", name: wanted.metadata.name ?? "" };
  let present: T;
  try {
    present = await store.get(ref);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await store.create(wanted).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
    return;
  }
  if (present.metadata.annotations?.[AUTOUPDATE] !== "true" || merge(present) === undefined) return;
  await store.update(ref, (draft, current) => {
    const merged = merge(current);
    if (merged === undefined) return false;
    Object.assign(draft, merged);
    return true;
  });
}

const metadata = (name: string, namespace = "", labels?: Readonly<Record<string, string>>) => ({
  name,
  ...(namespace !== "" && { namespace }),
  labels: { ...LABELS, ...labels },
  annotations: { [AUTOUPDATE]: "true" },
});

function reconcileClusterRole(registry: Registry, role: BootstrapRole, all: readonly BootstrapRole[]): Promise<void> {
  const rules = role.aggregate ? aggregatedRules(role.aggregate, all) : role.rules;
  const wanted: rbac.ClusterRole = {
    metadata: metadata(role.name, "", role.labels),
    rules,
    ...(role.aggregate && {
      aggregationRule: { clusterRoleSelectors: role.aggregate.map((matchLabels) => ({ matchLabels })) },
    }),
  };
  return reconcile(registry, rbac.clusterRoles, wanted, (present) => {
    const missing = missingRules(present.rules ?? [], rules);
    return missing.length === 0 ? undefined : { ...present, rules: [...(present.rules ?? []), ...missing] };
  });
}

function reconcileRole(registry: Registry, namespace: string, role: BootstrapRole): Promise<void> {
  return reconcile(registry, rbac.roles, { metadata: metadata(role.name, namespace), rules: role.rules }, (present) => {
    const missing = missingRules(present.rules ?? [], role.rules);
    return missing.length === 0 ? undefined : { ...present, rules: [...(present.rules ?? []), ...missing] };
  });
}

const sameSubject = (a: rbac.Subject, b: rbac.Subject): boolean =>
  a.kind === b.kind && a.name === b.name && (a.namespace ?? "") === (b.namespace ?? "");

function withSubjects<T extends rbac.RoleBinding | rbac.ClusterRoleBinding>(
  present: T,
  wanted: BootstrapBinding,
): T | undefined {
  const missing = wanted.subjects.filter((s) => !present.subjects?.some((p) => sameSubject(p, s)));
  return missing.length === 0 ? undefined : { ...present, subjects: [...(present.subjects ?? []), ...missing] };
}

async function reconcileAll(registry: Registry, featureEnabled: (gate: string) => boolean): Promise<void> {
  const ofControllers = [
    ...controllerRoles,
    ...gatedControllerRoles.filter(({ gates }) => gates.every(featureEnabled)).map(({ role }) => role),
  ];
  const roles = [...userRoles, ...componentRoles, ...ofControllers];
  await Promise.all(roles.map((role) => reconcileClusterRole(registry, role, roles)));
  const bindings = [...clusterBindings, ...ofControllers.map((role) => bindController(role.name))];
  await Promise.all(
    bindings.map((b) =>
      reconcile(
        registry,
        rbac.clusterRoleBindings,
        { metadata: metadata(b.name), subjects: b.subjects, roleRef: b.roleRef },
        (present) => withSubjects(present, b),
      ),
    ),
  );
  for (const [namespace, list] of Object.entries(namespaceRoles))
    await Promise.all(list.map((role) => reconcileRole(registry, namespace, role)));
  for (const [namespace, list] of Object.entries(namespaceBindings))
    await Promise.all(
      list.map((b) =>
        reconcile(
          registry,
          rbac.roleBindings,
          { metadata: metadata(b.name, namespace), subjects: b.subjects, roleRef: b.roleRef },
          (present) => withSubjects(present, b),
        ),
      ),
    );
}

/** Makes the bootstrap roles and bindings, and restores in each what is missing, unless it is annotated otherwise. */
export const bootstrapRoles = (featureEnabled: (gate: string) => boolean): PostStartHook => ({
  name: "rbac/bootstrap-roles",
  run: ({ registry }) => reconcileAll(registry, featureEnabled),
});
