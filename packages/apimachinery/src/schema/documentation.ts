/**
 * Documentation texts: the name of a type, then the name of a field; the key "" holds the text of the type itself.
 *
 * Texts live in modules of their own that are only imported when OpenAPI documents are requested.
 *
 * @example
 * ```ts
 * export const documentation: TypeDocumentation = {
 *   Lease: { "": "A claim that its holder renews.", metadata: "Name, namespace and other facts about the object." },
 * };
 * ```
 */
export type TypeDocumentation = Readonly<Record<string, Readonly<Record<string, string>>>>;
