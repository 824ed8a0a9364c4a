import type { apiextensions } from "@orchernetes/api";
import {
  type ApiObject,
  apiVersionOf,
  type CustomJson,
  customResourceCapabilities,
  type Draft,
  type ResourceDefinition,
  type Verb,
  type VersionConverter,
} from "@orchernetes/apimachinery";
import { compareVersions } from "@orchernetes/apiserver";
import { type RuleOptions, ruleTree } from "../rules/rule-tree.ts";
import type { CustomObject } from "../schema/custom-object.ts";
import { applyDefaults } from "../schema/defaults.ts";
import { type JsonSchema, schemaOf } from "../schema/json-schema.ts";
import { objectSchema } from "../schema/object-schema.ts";
import { structuralOf } from "../schema/structural.ts";
import { compileCheck } from "../validation/value.ts";
import { columnsOf } from "./columns.ts";
import { objectStatusStrategy, objectStrategy } from "./object-strategy.ts";
import { scaleSubresource } from "./scale.ts";

type CustomResourceDefinition = apiextensions.CustomResourceDefinition;
type Version = apiextensions.CustomResourceDefinitionVersion;

/** In the order in which discovery of Kubernetes lists them. */
const verbs: readonly Verb[] = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const statusVerbs: readonly Verb[] = ["get", "patch", "update"];

/** The resources that a definition declares. */
export interface ServedVersions {
  /** Of the served versions. */
  readonly definitions: readonly ResourceDefinition[];
  /** Of the version that is stored, served or not. */
  readonly stored: ResourceDefinition | undefined;
}

/**
 * The resources that a definition asks for, one for each served version over one stored form.
 *
 * @param isTerminating whether the definition is being deleted
 * @param converter asks the definition's webhook; undefined: versions differ in nothing but their schemas
 * @param rules about the rules in schemas
 */
export function servedDefinitions(
  definition: CustomResourceDefinition,
  isTerminating: () => boolean,
  converter: VersionConverter | undefined,
  rules: RuleOptions,
): ServedVersions {
  const { spec } = definition;
  const stored = spec.versions.find(({ storage }) => storage);
  if (stored === undefined) return { definitions: [], stored: undefined };
  const made = spec.versions.map((version) => resourceDefinition(definition, version, isTerminating, rules));
  const own = made.find(({ version }) => version === stored.name);
  if (own === undefined) return { definitions: [], stored: undefined };
  const storedDefinition = converter === undefined ? own : convertedDefinition(own, made, converter);
  const served = new Set(spec.versions.filter((version) => version.served).map(({ name }) => name));
  const views = made
    .filter((one) => one !== own && served.has(one.version))
    .map((one) =>
      converter === undefined
        ? viewOf(one, own)
        : { ...one, converter, storedAs: { definition: erased(storedDefinition) } },
    );
  const all = stored.served ? [storedDefinition, ...views] : views;
  return { definitions: all.map(erased), stored: erased(storedDefinition) };
}

/** Without the type of the object: the server's other parts know custom objects as objects of any kind. */
const erased = (definition: ResourceDefinition<CustomObject>): ResourceDefinition =>
  definition as unknown as ResourceDefinition;

/**
 * The stored version where a webhook converts. Each object in the store is of the version that was the stored one when it was written,
 * and is read by that version's schema.
 */
function convertedDefinition(
  own: ResourceDefinition<CustomObject>,
  versions: readonly ResourceDefinition<CustomObject>[],
  converter: VersionConverter,
): ResourceDefinition<CustomObject> {
  const { custom } = own.schema;
  if (custom === undefined) return { ...own, converter };
  const restored: CustomJson["restored"] = (object) =>
    versions.find((version) => apiVersionOf(version) === object.apiVersion)?.schema.custom?.restored?.(object);
  return { ...own, converter, schema: { ...own.schema, custom: { ...custom, restored } } };
}

/**
 * A version as a view of objects that are stored in another one, with strategy None: they differ in apiVersion and schema only. What the
 * view's schema does not have is pruned from what clients see of it, and is lost if they write that back.
 */
function viewOf(
  view: ResourceDefinition<CustomObject>,
  stored: ResourceDefinition<CustomObject>,
): ResourceDefinition<CustomObject> {
  const apiVersion = apiVersionOf(view);
  const { custom } = view.schema;
  return {
    ...view,
    storedAs: {
      definition: stored as unknown as ResourceDefinition,
      toStored: (object) => ({ ...object, apiVersion: apiVersionOf(stored) }),
      fromStored: (object: ApiObject) => {
        const own = { ...object, apiVersion };
        return (custom?.restored?.(own) ?? own) as CustomObject;
      },
    },
  };
}

/** Makes something when it is first asked for, and keeps it. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The schema of a version that has none, as definitions of the time before v1 may. */
const anything: JsonSchema = { type: "object", "x-orchernetes-preserve-unknown-fields": true };

/** Says which version is to be used instead, if there is a better one. */
function deprecationOf({ group, names, versions }: CustomResourceDefinition["spec"], { name }: Version): string {
  const [better] = versions
    .filter((one) => one.served && one.deprecated !== true && compareVersions(one.name, name) < 0)
    .sort((a, b) => compareVersions(a.name, b.name));
  const instead = better === undefined ? "" : `; use ${group}/${better.name} ${names.kind}`;
  return `${group}/${name} ${names.kind} is deprecated${instead}`;
}

/** A version in the form of built-in resources: the server's handlers, storage and watches need to know no other. */
function resourceDefinition(
  { spec }: CustomResourceDefinition,
  version: Version,
  isTerminating: () => boolean,
  { enabled = true, compiled, evaluated }: RuleOptions,
): ResourceDefinition<CustomObject> {
  const { group, names, scope, preserveUnknownFields } = spec;
  const own = schemaOf(version) ?? anything;
  const given = preserveUnknownFields === true ? { ...own, "x-orchernetes-preserve-unknown-fields": true } : own;
  // Compiled when objects are first read or written: many definitions are never used.
  const structural = once(() => structuralOf(given));
  const rules = {
    resource: { group, plural: names.plural },
    structural,
    check: once(() => compileCheck(given)),
    expressions: once(() => (enabled ? ruleTree(structural(), compiled === undefined ? {} : { compiled }) : undefined)),
    evaluated,
    subresources: version.subresources,
    isTerminating,
  };
  const kind = { group, version: version.name, kind: names.kind };
  const { scale, status } = version.subresources ?? {};
  return {
    ...kind,
    plural: names.plural,
    singular: names.singular || names.kind.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    scope,
    verbs,
    schema: objectSchema(kind, given, structural),
    listKind: names.listKind || `${names.kind}List`,
    storagePrefix: `/registry/${group}/${names.plural}`,
    applyDefaults: (draft: Draft<CustomObject>) => applyDefaults(draft, structural()),
    strategy: objectStrategy(rules),
    columns: columnsOf(version.additionalPrinterColumns),
    capabilities: customResourceCapabilities,
    subresources: {
      ...(status === undefined
        ? {}
        : { status: { type: "status", verbs: statusVerbs, strategy: objectStatusStrategy(rules) } }),
      ...(scale === undefined ? {} : { scale: scaleSubresource(scale) }),
    },
    ...(version.deprecated === true
      ? { deprecation: { since: "", warning: version.deprecationWarning ?? deprecationOf(spec, version) } }
      : {}),
  };
}
