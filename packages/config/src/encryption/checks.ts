import { z } from "zod";

/**
 * Options of `superRefine` that let a check run after other errors, so that all are reported at once. The value that
 * the check receives may then be of any type.
 */
export const always = { when: () => true };

/** Whether a value is a mapping, neither null nor a list. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value if it is a list, otherwise an empty one: its type error is reported elsewhere. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A field of a value that may not be a mapping; undefined if it is none or has no such field. */
export const fieldOf = (value: unknown, field: string): unknown => (isObject(value) ? value[field] : undefined);

/** A mapping with these fields and no others. @param message what is reported if it is not a mapping */
export const mapping = <S extends z.core.$ZodLooseShape>(shape: S, message: string) =>
  z.strictObject(shape, {
    error: ({ code }) =>
      code === "unrecognized_keys" ? `unknown field; known are ${Object.keys(shape).join(", ")}` : message,
  });

/** A list that is not empty. @param message what is reported otherwise */
export const list = <S extends z.ZodType>(item: S, message: string) => z.array(item, message).min(1, message);

/**
 * A schema for a name that becomes part of the prefix of stored values. Parts of the prefix are separated by colons,
 * so a name must not contain one.
 */
export const prefixName = () => {
  const message = 'want a name without ":"';
  return z.string(message).regex(/^[^:]+$/, message);
};

/** Reports the names that are given a second time. */
export function reportRepeated(
  names: readonly { readonly name: unknown; readonly path: (string | number)[] }[],
  context: z.RefinementCtx,
): void {
  const seen = new Set<unknown>();
  for (const { name, path } of names) {
    if (typeof name !== "string") continue;
    if (seen.has(name)) context.addIssue({ code: "custom", path, message: `${JSON.stringify(name)} is given twice` });
    seen.add(name);
  }
}
