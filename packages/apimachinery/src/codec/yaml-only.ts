/** @module What a thread needs that does nothing but read YAML. */

export { DecodeError } from "./decode-error.ts";
export { type ParseYamlOptions, parseYaml } from "./yaml.ts";
