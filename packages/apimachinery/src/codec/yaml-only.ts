/**
 * The YAML parser without the rest of the package, for the YAML thread of the API server: a worker thread loads all
 * of its modules again.
 *
 * @example
 * ```ts
 * import { parseYaml } from "@orchernetes/apimachinery/yaml";
 *
 * parseYaml("a: [1, 2]").value; // { a: [1, 2] }
 * ```
 *
 * @module
 */

export { DecodeError } from "./decode-error.ts";
export { parseJsonText } from "./exact-integers.ts";
export { type ParseYamlOptions, parseYaml } from "./yaml.ts";
export { yamlLibrary } from "./yaml-library.ts";
