import { capabilitiesOf } from "../resource/capabilities.ts";
import { apiVersionOf, type ResourceDefinition, type Subresource } from "../resource/definition.ts";
import { listSchemaOf } from "../resource/list.ts";
import { DeleteOptions } from "../resource/object-meta.ts";
import { Scale } from "../resource/scale.ts";
import type { MessageSchema } from "../schema/index.ts";
import { Status } from "../status/status.ts";

/** A kind that has a protobuf form. */
export interface SchemeKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly schema: MessageSchema;
  /** The schema of the items, if the kind is a list. */
  readonly item?: MessageSchema;
}

/** The kinds whose objects can be written as protobuf, and where they are served. */
export interface Scheme {
  /** The kind that an object or an envelope names. */
  kind(apiVersion: string, kind: string): SchemeKind | undefined;
  /**
   * The kind of the bodies at the path of an object. Undefined for unknown resources and for subresources whose bodies are no
   * objects, such as `log` and `proxy`.
   *
   * @param subresource "" for the object itself
   */
  resource(group: string, version: string, plural: string, subresource: string): SchemeKind | undefined;
}

/** Kinds that are served below the paths of others. */
const shared: readonly SchemeKind[] = [
  { apiVersion: "v1", kind: "Status", schema: Status },
  { apiVersion: "v1", kind: "DeleteOptions", schema: DeleteOptions },
  { apiVersion: "autoscaling/v1", kind: "Scale", schema: Scale },
];

/**
 * Creates the scheme of these resources. Those without a protobuf form are left out.
 *
 * @example
 * ```ts
 * createScheme([pods]).kind("v1", "PodList")?.item; // the schema of Pod
 * ```
 */
export function createScheme(definitions: readonly ResourceDefinition[]): Scheme {
  const kinds = new Map<string, SchemeKind>();
  const resources = new Map<string, SchemeKind>();
  const addKind = (found: SchemeKind): SchemeKind => {
    const key = `${found.apiVersion}/${found.kind}`;
    const known = kinds.get(key);
    if (known === undefined) kinds.set(key, found);
    return known ?? found;
  };
  for (const found of shared) addKind(found);
  for (const definition of definitions) {
    if (!capabilitiesOf(definition).protobuf) continue;
    const { group, version, plural, kind, schema, listKind = `${kind}List`, subresources = {} } = definition;
    const apiVersion = apiVersionOf(definition);
    const own = addKind({ apiVersion, kind, schema });
    addKind({ apiVersion, kind: listKind, schema: listSchemaOf(definition.schema, listKind), item: schema });
    resources.set(keyOf(group, version, plural, ""), own);
    for (const [name, subresource] of Object.entries(subresources)) {
      const served = kindOfSubresource(own, subresource);
      if (served !== undefined) resources.set(keyOf(group, version, plural, name), addKind(served));
    }
  }
  return {
    kind: (apiVersion, kind) => kinds.get(`${apiVersion}/${kind}`),
    resource: (group, version, plural, subresource) => resources.get(keyOf(group, version, plural, subresource)),
  };
}

const keyOf = (group: string, version: string, plural: string, subresource: string): string =>
  `${group}/${version}/${plural}/${subresource}`;

function kindOfSubresource(own: SchemeKind, subresource: Subresource<never>): SchemeKind | undefined {
  switch (subresource.type) {
    case "status":
    case "object":
      return own;
    case "scale":
      return { apiVersion: "autoscaling/v1", kind: "Scale", schema: Scale };
    case "handler": {
      const { kind, schema } = subresource;
      // Options are in the query; such a path carries the bytes of somebody else.
      if (schema === undefined || kind.endsWith("Options")) return undefined;
      return { apiVersion: apiVersionOf(subresource), kind, schema };
    }
  }
}
