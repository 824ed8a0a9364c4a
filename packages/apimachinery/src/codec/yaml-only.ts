/** @module What a thread needs that does nothing but read and write YAML. */

export { DecodeError } from "./decode-error.ts";
export { parseJsonText } from "./exact-integers.ts";
export { type ParseYamlOptions, parseYaml } from "./yaml.ts";
export { yamlLibrary } from "./yaml-library.ts";
