/**
 * The scheme of every kind. It is apart from the types, because only programs that send or read protobuf need it.
 *
 * @example
 * ```ts
 * import { loadScheme } from "@orchernetes/api/scheme";
 *
 * const scheme = await loadScheme();
 * scheme.kind("v1", "Pod")?.schema;
 * ```
 *
 * @module
 */
import { createScheme, type Scheme } from "@orchernetes/apimachinery";
import { allResources } from "../resources.ts";
import { loadOptionalResources } from "./optional-resources.ts";

/** The scheme of every kind of this package. It imports the versions that are disabled by default, as servers may have enabled them. */
export async function loadScheme(): Promise<Scheme> {
  return createScheme([...allResources, ...(await loadOptionalResources(() => true))]);
}
