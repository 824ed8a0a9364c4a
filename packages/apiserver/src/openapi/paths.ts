import {
  capabilitiesOf,
  DeleteOptions,
  listSchemaOf,
  type MessageSchema,
  type OpenApiSchema,
  type ResourceDefinition,
  Status,
} from "@orchernetes/apimachinery";
import type { HandlerTable } from "../interfaces/index.ts";
import { type DiscoveredResource, discoveredResources } from "../registry/discovered-resources.ts";
import { extension, type SchemaCollector } from "./schemas.ts";

type Location = "query" | "path";

interface Parameter {
  readonly name: string;
  readonly in: Location;
  readonly type: "string" | "integer" | "boolean";
  readonly description: string;
}

const query = (name: string, type: Parameter["type"], description: string): Parameter => ({
  name,
  in: "query",
  type,
  description,
});

const pretty = query("pretty", "string", "If true, the output is indented.");
const dryRun = query("dryRun", "string", "All: the request is processed completely, but nothing is stored.");
const fieldManager = query(
  "fieldManager",
  "string",
  "The name of the manager that makes these changes, at most 128 printable characters.",
);
const fieldValidation = query(
  "fieldValidation",
  "string",
  "Ignore, Warn or Strict: how unknown and duplicate fields are handled.",
);
const force = query("force", "boolean", "Whether an apply takes fields from other managers that own them.");
const listParameters = [
  query("allowWatchBookmarks", "boolean", "Whether the watch may get bookmarks."),
  query("continue", "string", "The continue token of the previous page."),
  query("fieldSelector", "string", "Selects objects by fields."),
  query("labelSelector", "string", "Selects objects by labels."),
  query("limit", "integer", "The largest number of objects in one response."),
  query("resourceVersion", "string", "The version to read, or the oldest acceptable one."),
  query("resourceVersionMatch", "string", "How resourceVersion is applied: Exact or NotOlderThan."),
  query("sendInitialEvents", "boolean", "Whether a watch starts with the existing objects."),
  query("timeoutSeconds", "integer", "The time limit of the call in seconds."),
  query("watch", "boolean", "Whether changes are streamed instead of listing objects."),
];
const deleteParameters = [
  dryRun,
  query("gracePeriodSeconds", "integer", "Seconds until the object is removed."),
  query("orphanDependents", "boolean", "Deprecated: use propagationPolicy."),
  query("propagationPolicy", "string", "Orphan, Background or Foreground."),
];
const writeParameters = [dryRun, fieldManager, fieldValidation];

const patchTypes = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
];
const produced = ["application/json", "application/yaml"];

/**
 * Builds the `paths` of an OpenAPI document, in version 2 or 3. Paths, verbs and kinds are those of discovery, so that
 * both describe the same API.
 */
export class PathBuilder {
  readonly #collector: SchemaCollector;
  readonly #v3: boolean;

  constructor(version: 2 | 3, collector: SchemaCollector) {
    this.#v3 = version === 3;
    this.#collector = collector;
  }

  /** The path items of some definitions, by path. */
  paths(definitions: readonly ResourceDefinition[], handlers: HandlerTable): Readonly<Record<string, object>> {
    const paths: Record<string, object> = {};
    for (const resource of discoveredResources(definitions, handlers)) Object.assign(paths, this.#resource(resource));
    return paths;
  }

  #resource(resource: DiscoveredResource): Readonly<Record<string, object>> {
    const { definition, subresource, verbs } = resource;
    const { group, version, plural } = definition;
    const base = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
    const namespaced = definition.scope === "Namespaced";
    const collection = namespaced ? `${base}/namespaces/{namespace}/${plural}` : `${base}/${plural}`;
    const item = subresource === "" ? `${collection}/{name}` : `${collection}/{name}/${subresource}`;
    const has = (verb: string) => verbs.includes(verb);
    const paths: Record<string, object> = {};
    const inNamespace = namespaced ? ["namespace"] : [];
    if (subresource === "") {
      const onCollection = {
        ...(has("list") ? { get: this.#operation(resource, "list", [...listParameters, pretty]) } : {}),
        ...(has("create") ? { post: this.#operation(resource, "post", [...writeParameters, pretty]) } : {}),
        ...(has("deletecollection")
          ? { delete: this.#operation(resource, "deletecollection", [...listParameters, ...deleteParameters]) }
          : {}),
      };
      if (Object.keys(onCollection).length > 0)
        paths[collection] = { ...onCollection, parameters: this.#pathParameters(inNamespace) };
      if (namespaced && has("list")) {
        paths[`${base}/${plural}`] = { get: this.#operation(resource, "list", [...listParameters, pretty]) };
      }
    }
    const onItem = {
      ...(has("get") ? { get: this.#operation(resource, "get", [pretty]) } : {}),
      ...(has("update") ? { put: this.#operation(resource, "put", [...writeParameters, pretty]) } : {}),
      ...(subresource !== "" && has("create")
        ? { post: this.#operation(resource, "post", [...writeParameters, pretty]) }
        : {}),
      ...(has("delete") ? { delete: this.#operation(resource, "delete", [...deleteParameters, pretty]) } : {}),
      ...(has("patch") ? { patch: this.#operation(resource, "patch", [...writeParameters, force, pretty]) } : {}),
    };
    if (Object.keys(onItem).length > 0)
      paths[item] = { ...onItem, parameters: this.#pathParameters(["name", ...inNamespace]) };
    return paths;
  }

  #schemaOf({ definition, subresource }: DiscoveredResource): MessageSchema | undefined {
    if (subresource === "") return definition.schema;
    const found = definition.subresources?.[subresource];
    if (found?.type === "handler") return found.schema;
    return found?.type === "scale" ? undefined : definition.schema;
  }

  #operation(resource: DiscoveredResource, action: string, parameters: readonly Parameter[]): object {
    const { definition, group, version, kind, subresource } = resource;
    const own = this.#schemaOf(resource);
    const answer =
      action === "list"
        ? listSchemaOf(definition.schema, definition.listKind)
        : action.startsWith("delete")
          ? Status
          : own;
    const body = action === "post" || action === "put" ? own : action.startsWith("delete") ? DeleteOptions : undefined;
    const verb =
      { post: "create", put: "replace", get: "read", deletecollection: "deleteCollection" }[action] ?? action;
    const schema: OpenApiSchema | undefined = answer === undefined ? undefined : this.#collector.ref(answer);
    const bodySchema: OpenApiSchema | undefined =
      action === "patch" ? { type: "object" } : body === undefined ? undefined : this.#collector.ref(body);
    const consumes =
      action === "patch"
        ? patchTypes.filter((type) => capabilitiesOf(definition).strategicMergePatch || !type.includes("strategic"))
        : ["application/json", "application/yaml"];
    const groupName = group === "" ? "Core" : upperFirst(group.split(".")[0] ?? "");
    const scope = definition.scope === "Namespaced" ? "Namespaced" : "";
    const common = {
      description: `${verb} ${action === "list" || action === "deletecollection" ? "objects of kind" : "the specified"} ${kind}${subresource === "" ? "" : ` (${subresource})`}`,
      operationId: `${verb}${groupName}${upperFirst(version)}${scope}${definition.kind}${upperFirst(subresource)}`,
      tags: [`${group === "" ? "core" : (group.split(".")[0] ?? "")}_${version}`],
      ...extension("action", action),
      ...extension("group-version-kind", { group, version, kind }),
    };
    return this.#v3
      ? {
          ...common,
          parameters: parameters.map((parameter) => this.#parameter(parameter)),
          ...(bodySchema === undefined ? {} : { requestBody: { content: contentOf(consumes, bodySchema) } }),
          responses: responsesV3(action, schema),
        }
      : {
          ...common,
          consumes: bodySchema === undefined ? ["*/*"] : consumes,
          produces: produced,
          schemes: ["https"],
          parameters: [
            ...(bodySchema === undefined
              ? []
              : [{ name: "body", in: "body", required: !action.startsWith("delete"), schema: bodySchema }]),
            ...parameters.map((parameter) => this.#parameter(parameter)),
          ],
          responses: responsesV2(action, schema),
        };
  }

  #pathParameters(names: readonly string[]): readonly object[] {
    const texts: Readonly<Record<string, string>> = {
      name: "name of the object",
      namespace: "namespace of the object",
    };
    return names.map((name) => this.#parameter({ name, in: "path", type: "string", description: texts[name] ?? name }));
  }

  #parameter({ name, in: location, type, description }: Parameter): object {
    const shape = this.#v3 ? { schema: { type, uniqueItems: true } } : { type, uniqueItems: true };
    return { name, in: location, description, ...(location === "path" ? { required: true } : {}), ...shape };
  }
}

function contentOf(types: readonly string[], schema: OpenApiSchema): object {
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}

const codesOf = (action: string): readonly [string, string][] => [
  ["200", "OK"],
  ...(action === "post"
    ? ([
        ["201", "Created"],
        ["202", "Accepted"],
      ] as [string, string][])
    : []),
  ...(action === "put" || action === "patch" ? ([["201", "Created"]] as [string, string][]) : []),
  ...(action === "delete" ? ([["202", "Accepted"]] as [string, string][]) : []),
];

function responsesV2(action: string, schema: OpenApiSchema | undefined): object {
  const codes = codesOf(action).map(([code, description]) => [
    code,
    { description, ...(schema === undefined ? {} : { schema }) },
  ]);
  return Object.fromEntries([...codes, ["401", { description: "Unauthorized" }]]);
}

function responsesV3(action: string, schema: OpenApiSchema | undefined): object {
  const content = schema === undefined ? {} : { content: contentOf(produced, schema) };
  const codes = codesOf(action).map(([code, description]) => [code, { description, ...content }]);
  return Object.fromEntries([...codes, ["401", { description: "Unauthorized" }]]);
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
