import { type ApiObject, badRequest, type Column, type ResourceDefinition } from "@orchernetes/apimachinery";

/** What a table's rows say of their objects. */
export type IncludeObject = "None" | "Metadata" | "Object";

/** @throws ApiError BadRequest for other values than None, Metadata, Object */
export function includeObjectOf(query: URLSearchParams): IncludeObject {
  const text = query.get("includeObject") ?? "";
  if (text === "" || text === "Metadata") return "Metadata";
  if (text === "None" || text === "Object") return text;
  throw badRequest(`unrecognized includeObject value: ${JSON.stringify(text)}`);
}

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

/** The columns a kind is shown with. */
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

/** One row, as JSON text. */
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

/** What comes before a table's rows, as JSON text ending in `"rows":[`. */
export function tableHead(apiVersion: string, metadata: object, columns: string | undefined): string {
  const definitions = columns === undefined ? "null" : columns;
  return (
    `{"kind":"Table","apiVersion":${JSON.stringify(apiVersion)},"metadata":${JSON.stringify(metadata)},` +
    `"columnDefinitions":${definitions},"rows":[`
  );
}
