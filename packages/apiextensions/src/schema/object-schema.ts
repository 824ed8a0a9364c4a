import {
  ApiError,
  apiVersionOf,
  type CustomJson,
  DecodeError,
  decoderFor,
  type Fields,
  json,
  type MessageSchema,
  ObjectMeta,
  optional,
  type ResourceDefinition,
  string,
  value,
} from "@orchernetes/apimachinery";
import type { CustomObject } from "./custom-object.ts";
import { applyDefaults } from "./defaults.ts";
import type { JsonSchema } from "./json-schema.ts";
import { openApiOf } from "./openapi.ts";
import { ownershipFields } from "./ownership.ts";
import { Pruner } from "./prune.ts";
import { isPlain, type Plain, type Structural } from "./structural.ts";

type Kind = Pick<ResourceDefinition, "group" | "version" | "kind">;

const identity: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);
/** Reading from the store reports no unknown fields: the client who could correct them is gone. */
const deaf = { onUnknown() {} };

/**
 * The schema of one version of a custom resource's objects, in the form that the server's other parts know.
 *
 * @param structural the schema compiled; called when objects are read or written
 */
export function objectSchema(
  kind: Kind,
  schema: JsonSchema,
  structural: () => Structural,
): MessageSchema<CustomObject> {
  const { group, version } = kind;
  const pkg = `${group}/${version}`;
  let fields: Fields | undefined;
  return {
    kind: "message",
    pkg,
    name: kind.kind,
    object: true,
    // apiVersion comes first, unlike in built-in kinds.
    fields: () => {
      fields ??= {
        apiVersion: optional(0, string),
        kind: optional(0, string),
        metadata: value(0, ObjectMeta),
        ...ownershipFields(structural(), pkg, identity),
      };
      return fields;
    },
    ownedAsItem: false,
    ...(schema["x-orchernetes-preserve-unknown-fields"] === true ? { open: json } : {}),
    custom: customJson(kind, schema, structural),
  };
}

/**
 * How objects of the version are read and written as JSON: the codec of built-in kinds knows their fields from its tables, this one from
 * the schema.
 */
function customJson(kind: Kind, schema: JsonSchema, structural: () => Structural): CustomJson {
  const apiVersion = apiVersionOf(kind);
  const decode: CustomJson["decode"] = (given, context) => {
    if (!isPlain(given))
      throw new DecodeError(`json: cannot unmarshal ${typeof given} into Go value of type ${kind.kind}`);
    const out: Record<string, unknown> = {
      apiVersion: text(given.apiVersion) || apiVersion,
      kind: text(given.kind) || kind.kind,
      metadata: decodeMetadata(given.metadata, context),
    };
    new Pruner(context).members(given, structural(), out);
    return out;
  };
  return {
    decode,
    openApi: (version, ref) => openApiOf(schema, version, ref),
    references: [ObjectMeta],
    ownedByFields: true,
    // An object in the store is as it was written, under the schema of then. It is pruned and defaulted again when it is read, so that clients
    // see what the schema of now describes. Most objects do not change by that, and the caller goes on with the stored one.
    restored: (object) => {
      const now = decode({ ...object, apiVersion, kind: kind.kind }, { nested: (_, part) => part, ...deaf }) as Plain;
      try {
        applyDefaults(now, structural());
      } catch (error) {
        // The object was stored before the schema had these defaults. Add only those that fit, so that lists do not fail.
        if (!(error instanceof ApiError)) throw error;
      }
      return sameShape(now, object) ? undefined : now;
    },
  };
}

const text = (given: unknown): string => (typeof given === "string" ? given : "");

/** Metadata is that of all kinds, and so decoded by their codec; paths in messages begin at the object. */
function decodeMetadata(given: unknown, { onUnknown }: Parameters<CustomJson["decode"]>[1]): unknown {
  try {
    return decoderFor(ObjectMeta).decode(given ?? {}, { onUnknown: (path) => onUnknown(() => `metadata.${path}`) });
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new DecodeError(error.message, error.path === "" ? "metadata" : `metadata.${error.path}`, { cause: error });
  }
}

/** Whether pruning and defaults left everything as it was. */
function sameShape(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => sameShape(item, b[i]));
  if (!isPlain(a) || !isPlain(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameShape(a[key], b[key]))
  );
}
