import {
  bool,
  type Field,
  type Fields,
  json,
  list,
  type MessageSchema,
  mapOf,
  number,
  pointer,
  type Schema,
  string,
} from "@orchernetes/apimachinery";
import type { Structural } from "./structural.ts";

/**
 * How server-side apply sees the members of a custom resource: objects with properties as structs, which their applier owns
 * with their fields, others as maps or as JSON that nothing is known of; lists by their list type (KEP-555).
 *
 * The schema decides here what two appliers may change side by side: items of a `map` list are owned one by one, an `atomic` list or map
 * as a whole, so that the last applier replaces all of it.
 *
 * @param pkg home of the types, for messages about them
 * @param skip members that the schema does not describe
 */
export function ownershipFields(structural: Structural, pkg: string, skip: ReadonlySet<string>): Fields {
  const entries = [...structural.properties]
    .filter(([name]) => !skip.has(name))
    .map(([name, property]) => [name, fieldOf(property, pkg)] as const);
  return Object.fromEntries(entries);
}

/** Only scalar defaults matter to ownership: a key of a map list that is absent has its default. */
function fieldOf(structural: Structural, pkg: string): Field {
  const { schema } = structural;
  const listType = schema["x-orchernetes-list-type"];
  const fallback = schema.default;
  const scalar = typeof fallback === "string" || typeof fallback === "number" || typeof fallback === "boolean";
  return pointer(0, schemaOf(structural, pkg), {
    ...(listType === "set" || listType === "map" ? { list: listType } : {}),
    ...(listType === "map" ? { keys: schema["x-orchernetes-list-map-keys"] ?? [] } : {}),
    ...(schema["x-orchernetes-map-type"] === "atomic" ? { atomic: true } : {}),
    ...(scalar ? { default: fallback } : {}),
  });
}

function schemaOf(structural: Structural, pkg: string): Schema {
  const { schema, properties, additional, items } = structural;
  if (schema["x-orchernetes-int-or-string"] === true) return json;
  switch (schema.type) {
    case "string":
      return string;
    case "boolean":
      return bool;
    // Validation checks whether a number is an integer.
    case "integer":
    case "number":
      return number;
    case "array":
      return items === undefined ? json : list(itemOf(structural, items, pkg));
    case "object":
      break;
    default:
      return json;
  }
  if (properties.size === 0 && !structural.embedded) {
    if (additional !== undefined) return mapOf(schemaOf(additional, pkg));
    return json;
  }
  // The fields are computed when they are needed: most definitions never see server-side apply.
  const message: MessageSchema = {
    kind: "message",
    pkg,
    name: "Object",
    fields: () => ({
      ...(structural.embedded
        ? { apiVersion: pointer(0, string), kind: pointer(0, string), metadata: pointer(0, json) }
        : {}),
      ...ownershipFields(structural, pkg, none),
    }),
    ownedAsItem: true,
    ...(schema["x-orchernetes-map-type"] === "atomic" ? { atomic: true } : {}),
    ...(structural.preserve || structural.open
      ? { open: additional === undefined ? json : schemaOf(additional, pkg) }
      : {}),
  };
  return message;
}

/** Items of lists that are owned as a whole are kept as they are, whatever they hold. */
function itemOf({ schema }: Structural, items: Structural, pkg: string): Schema {
  const listType = schema["x-orchernetes-list-type"];
  const item = schemaOf(items, pkg);
  const whole = listType !== "set" && listType !== "map";
  return whole && (item.kind === "message" || item.kind === "map" || item.kind === "list") ? json : item;
}

const none: ReadonlySet<string> = new Set();
