import type * as v1beta1 from "@orchernetes/api/admissionregistration/v1beta1";
import type { GroupVersionKind, ResourceDefinition } from "@orchernetes/apimachinery";
import type { Registry } from "@orchernetes/apiserver";
import { admissionEnvironment, compile, declare, dynType, type Type } from "@orchernetes/cel";
import { resolveSchema } from "./resolve-schema.ts";

type Spec = v1beta1.ValidatingAdmissionPolicySpec;

/** Types that are checked for one rule of a policy at most. */
const maxTypesOfRule = 10;

interface CheckedKind {
  readonly kind: GroupVersionKind;
  readonly object: Type;
}

/**
 * Checks the validations of a policy against the types that its rules name, as the API server of Kubernetes 1.27 does. Rules with
 * wildcards in groups or versions, resources with wildcards and subresources are left out, and so are kinds that are not served.
 *
 * @param nextTurn called between kinds, whose schemas may be large
 * @returns a warning for each validation that does not fit a type
 */
export async function typeCheck(
  spec: Spec,
  registry: Registry,
  nextTurn: () => Promise<void>,
): Promise<readonly v1beta1.ExpressionWarning[]> {
  const { validations = [], variables } = spec;
  const kinds: CheckedKind[] = [];
  for (const definition of definitionsToCheck(spec, registry)) {
    kinds.push({ kind: definition, object: typeOf(definition) });
    await nextTurn();
  }
  const params = paramsType(spec, registry);
  const scopes = kinds.map(({ kind, object }) => ({ kind, scope: scopeOf(object, params, variables ?? []) }));
  const warnings: v1beta1.ExpressionWarning[] = [];
  for (const [i, { expression }] of validations.entries()) {
    const found = scopes.flatMap(({ kind, scope }) => {
      const compiled = compile(expression, scope);
      return typeof compiled === "string" ? [`${kind.group}/${kind.version}, Kind=${kind.kind}: ${compiled}`] : [];
    });
    if (found.length > 0) warnings.push({ fieldRef: `spec.validations[${i}].expression`, warning: found.join("\n") });
    await nextTurn();
  }
  return warnings;
}

const typeOf = ({ schema }: Pick<ResourceDefinition, "schema">): Type =>
  declare(resolveSchema(schema), "object", false)?.type ?? dynType;

/** Undefined if the policy has no parameters; of a kind that is not served, nothing is known. */
function paramsType({ paramKind }: Spec, registry: Registry): Type | undefined {
  if (paramKind === undefined) return undefined;
  const { apiVersion = "", kind = "" } = paramKind;
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const definition = registry.lookupKind(group, version, kind)?.definition;
  return definition === undefined ? dynType : typeOf(definition);
}

/** Variables have the types of their expressions; those that do not compile may be anything. */
function scopeOf(
  object: Type,
  params: Type | undefined,
  variables: NonNullable<Spec["variables"]>,
): ReturnType<typeof admissionEnvironment> {
  const composed = new Map<string, Type>();
  const scope = () =>
    admissionEnvironment({
      object,
      params,
      authorizer: true,
      composed: variables.length === 0 ? undefined : new Map(composed),
    });
  for (const { name, expression } of variables) {
    const compiled = compile(expression, scope());
    composed.set(name, typeof compiled === "string" ? dynType : compiled.type);
  }
  return scope();
}

/** What the rules of a policy are about, each kind once, sorted by group, version and kind. */
function definitionsToCheck({ matchConstraints }: Spec, registry: Registry): readonly ResourceDefinition[] {
  const found = new Map<string, ResourceDefinition>();
  for (const rule of matchConstraints?.resourceRules ?? []) {
    for (const definition of definitionsOf(rule, registry))
      found.set(`${definition.group}/${definition.version}/${definition.kind}`, definition);
  }
  const order = ({ group, version, kind }: GroupVersionKind): string => `${group}\0${version}\0${kind}`;
  return [...found.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

function definitionsOf(rule: v1beta1.NamedRuleWithOperations, registry: Registry): readonly ResourceDefinition[] {
  const { apiGroups = [], apiVersions = [], resources = [] } = rule;
  if ([...apiGroups, ...apiVersions].some((text) => text.includes("*"))) return [];
  const plurals = resources.filter((text) => !/[*/]/.test(text)).sort();
  const found: ResourceDefinition[] = [];
  for (const group of [...apiGroups].sort()) {
    for (const version of [...apiVersions].sort()) {
      for (const plural of plurals) {
        const definition = registry.lookup(group, version, plural)?.definition;
        if (definition !== undefined) found.push(definition);
        if (found.length === maxTypesOfRule) return found;
      }
    }
  }
  return found;
}
