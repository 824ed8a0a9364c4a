import type { ApiObject, Column } from "@orchernetes/apimachinery";

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
