import { type ApiObject, type Column, humanDuration } from "@orchernetes/apimachinery";

/** The fields of a container that columns show. */
interface ShownContainer {
  readonly name: string;
  readonly image?: string | undefined;
}

/**
 * The fields of a pod template that columns show. Structural, because the types of pods import this folder and not the
 * reverse.
 */
interface ShownTemplate {
  readonly spec?: { readonly containers?: readonly ShownContainer[] | undefined } | undefined;
}

type TemplateOf<T> = (object: T) => ShownTemplate | undefined;

/** The `Name` column. */
export function name<T extends ApiObject>(): Column<T> {
  return {
    name: "Name",
    type: "string",
    format: "name",
    description: "Name of the object, unique within its namespace.",
    value: (object) => object.metadata.name ?? "",
  };
}

/** The `Age` column: time since creation, `<unknown>` before it. */
export function age<T extends ApiObject>(): Column<T> {
  return {
    name: "Age",
    type: "string",
    description: "Time since the object was created.",
    value: (object, now) => since(object.metadata.creationTimestamp, now),
  };
}

/** The `Created At` column: RFC 3339 time of creation. */
export function createdAt<T extends ApiObject>(): Column<T> {
  return {
    name: "Created At",
    type: "date",
    description: "Time at which the object was created.",
    value: (object) => object.metadata.creationTimestamp ?? "<unknown>",
  };
}

/** The `Containers` column of kinds with a pod template: container names joined by commas. */
export function containerNames<T extends ApiObject>(template: TemplateOf<T>, priority: 0 | 1 = 1): Column<T> {
  return {
    name: "Containers",
    type: "string",
    description: "Names of the template's containers.",
    priority,
    value: (object) => joined(template(object), (container) => container.name),
  };
}

/** The `Images` column of kinds with a pod template: container images joined by commas. */
export function containerImages<T extends ApiObject>(template: TemplateOf<T>, priority: 0 | 1 = 1): Column<T> {
  return {
    name: "Images",
    type: "string",
    description: "Images of the template's containers.",
    priority,
    value: (object) => joined(template(object), (container) => container.image ?? ""),
  };
}

/** The `Selector` column. `text` is usually {@link formatLabels} or the text of a label selector. */
export function selectorColumn<T extends ApiObject>(text: (object: T) => string): Column<T> {
  return {
    name: "Selector",
    type: "string",
    description: "Which pods the object selects.",
    priority: 1,
    value: text,
  };
}

/** A column of text or numbers with the usual shape. */
export function column<T extends ApiObject>(
  columnName: string,
  type: "string" | "integer",
  description: string,
  value: Column<T>["value"],
  priority?: 0 | 1,
): Column<T> {
  return priority === undefined
    ? { name: columnName, type, description, value }
    : { name: columnName, type, description, priority, value };
}

/** `a=b,c=d` with sorted keys; `<none>` when there are none. */
export function formatLabels(labels: Readonly<Record<string, string>> | undefined): string {
  const keys = labels === undefined ? [] : Object.keys(labels).sort();
  return keys.length === 0 ? "<none>" : keys.map((key) => `${key}=${labels?.[key] ?? ""}`).join(",");
}

/** The text, or `<none>` when it is empty or absent. */
export function orNone(text: string | undefined): string {
  return text === undefined || text === "" ? "<none>" : text;
}

function joined(template: ShownTemplate | undefined, part: (container: ShownContainer) => string): string {
  return (template?.spec?.containers ?? []).map(part).join(",");
}

/** The time since `timestamp` (RFC 3339) in the form of tables; `<unknown>` if it is absent. */
export function since(timestamp: string | null | undefined, now: Date): string {
  const then = timestamp ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(then) ? "<unknown>" : humanDuration(now.getTime() - then);
}

/** A boolean column. */
export function booleanColumn<T extends ApiObject>(
  name: string,
  description: string,
  value: (object: T) => boolean | string,
): Column<T> {
  return { name, type: "boolean", description, value };
}

/** The first `max` texts joined by `separator`, and how many more there are: `a, b, c + 2 more...`. */
export function firstFew(texts: readonly string[], max: number, separator: string): string {
  const shown = texts.slice(0, max).join(separator);
  return texts.length > max ? `${shown} + ${texts.length - max} more...` : shown;
}
