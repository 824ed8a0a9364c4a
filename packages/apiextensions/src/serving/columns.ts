import type { apiextensions } from "@orchernetes/api";
import { type Column, humanDuration } from "@orchernetes/apimachinery";
import type { CustomObject } from "../schema/custom-object.ts";
import { parseJsonPath } from "../schema/json-path.ts";

type PrinterColumn = apiextensions.CustomResourceColumnDefinition;
type Cell = string | number | bigint | boolean | null;

const nameColumn: Column<CustomObject> = {
  name: "Name",
  type: "string",
  format: "name",
  description: "Name of the object, unique within its namespace.",
  value: ({ metadata }) => metadata.name ?? "",
};

/** The column of definitions that ask for none. */
const ageColumn: PrinterColumn = {
  name: "Age",
  type: "date",
  description: "Time since the object was created.",
  jsonPath: ".metadata.creationTimestamp",
};

/** The columns of tables of a custom resource: its name and what its definition asks for, or else its age. */
export function columnsOf(columns: readonly PrinterColumn[] | undefined): readonly Column<CustomObject>[] {
  const own = columns === undefined || columns.length === 0 ? [ageColumn] : columns;
  return [nameColumn, ...own.map(columnOf)];
}

/** The path is parsed once for a definition; the function runs for each row of a table. */
function columnOf({ name, type, format, description, priority, jsonPath }: PrinterColumn): Column<CustomObject> {
  const path = parseJsonPath(jsonPath);
  return {
    name,
    type: type as Column<CustomObject>["type"],
    ...(format ? { format } : {}),
    description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    ...(priority === undefined ? {} : { priority: priority as 0 | 1 }),
    value: (object, now) => {
      const [found] = "find" in path ? path.find(object) : [];
      return cellOf(type, found, now);
    },
  };
}

/** A value as a cell; null for what is absent or of another type, since one wrong object must not fail the table of all. */
function cellOf(type: string, value: unknown, now: Date): Cell {
  if (value === undefined || value === null) return null;
  switch (type) {
    case "string":
      return typeof value === "string" ? value : JSON.stringify(value);
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : typeof value === "bigint" ? value : null;
    case "number":
      return typeof value === "number" || typeof value === "bigint" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return dateCell(value, now);
    default:
      return null;
  }
}

function dateCell(value: unknown, now: Date): Cell {
  if (typeof value !== "string") return null;
  const then = Date.parse(value);
  return Number.isNaN(then) ? "<invalid>" : humanDuration(now.getTime() - then);
}
