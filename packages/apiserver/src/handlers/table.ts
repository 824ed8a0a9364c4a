import { type ApiObject, badRequest, type Column, type ResourceDefinition } from "@orchernetes/apimachinery";
import type { Query } from "../interfaces/index.ts";

/** What the rows of a table contain of their objects (`?includeObject`). */
export type IncludeObject = "None" | "Metadata" | "Object";

/**
 * Reads `?includeObject`. @default "Metadata" @throws ApiError BadRequest for other values than None, Metadata, Object
 */
export function includeObjectOf(query: Query): IncludeObject {
  const text = query.get("includeObject") ?? "";
  if (text === "" || text === "Metadata") return "Metadata";
  if (text === "None" || text === "Object") return text;
  throw badRequest(`unrecognized includeObject value: ${JSON.stringify(text)}`);
}

/** Columns of kinds that define none. */
const fallbackColumns: readonly Column<ApiObject>[] = Object.freeze([
  {
    name: "Name",
    type: "string",
    format: "name",
    description: "Name of the object, unique within its namespace",
    value: (object: ApiObject) => object.metadata.name ?? "",
  },
  {
    name: "Created At",
    type: "date",
    description: "When the object was created",
    value: (object: ApiObject) => object.metadata.creationTimestamp ?? "",
  },
] satisfies Column<ApiObject>[]);

/** The columns of a kind. */
function columnsOf(definition: ResourceDefinition): readonly Column<ApiObject>[] {
  return definition.columns.length > 0 ? definition.columns : fallbackColumns;
}

/** `columnDefinitions` of a table, as JSON text. */
export function columnDefinitions(definition: ResourceDefinition): string {
  return JSON.stringify(
    columnsOf(definition).map(({ name, type, format = "", description, priority = 0 }) => ({
      name,
      type,
      format,
      description,
      priority,
    })),
  );
}

/** An object's metadata as PartialObjectMetadata. */
export function partialMetadata(object: ApiObject, apiVersion: string): object {
  return { kind: "PartialObjectMetadata", apiVersion, metadata: object.metadata };
}

/** One row of a table, as JSON text. Cells may depend on the time (ages). */
export function tableRow(
  definition: ResourceDefinition,
  object: ApiObject,
  now: Date,
  include: IncludeObject,
  apiVersion: string,
): string {
  const cells = columnsOf(definition).map((column) => column.value(object, now));
  const shown = include === "None" ? null : include === "Object" ? object : partialMetadata(object, apiVersion);
  const conditions = definition.rowConditions?.(object) ?? [];
  return JSON.stringify({ cells, ...(conditions.length > 0 && { conditions }), object: shown });
}

/**
 * The text of a table up to its rows; it ends in `"rows":[`. Text and not a value, so that rows can follow one by one.
 *
 * @param columns undefined: `null`, as in all tables of a watch but the first
 */
export function tableHead(apiVersion: string, metadata: object, columns: string | undefined): string {
  const definitions = columns === undefined ? "null" : columns;
  return (
    `{"kind":"Table","apiVersion":${JSON.stringify(apiVersion)},"metadata":${JSON.stringify(metadata)},` +
    `"columnDefinitions":${definitions},"rows":[`
  );
}
