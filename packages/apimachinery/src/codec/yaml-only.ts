/** @module The parts that the YAML worker thread needs. */

export { DecodeError } from "./decode-error.ts";
export { parseJsonText } from "./exact-integers.ts";
export { type ParseYamlOptions, parseYaml } from "./yaml.ts";
export { yamlLibrary } from "./yaml-library.ts";
