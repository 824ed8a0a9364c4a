/**
 * Documentation texts: the name of a type, then the name of a field; the key "" has the text of the type itself.
 *
 * Texts are in separate modules, which are only imported when OpenAPI documents are requested.
 *
 * @example
 * ```ts
 * export const documentation: TypeDocumentation = {
 *   Lease: { "": "A claim that its holder renews.", metadata: "Name, namespace and other metadata." },
 * };
 * ```
 */
export type TypeDocumentation = Readonly<Record<string, Readonly<Record<string, string>>>>;
