export * from "./decode-error.ts";
export * from "./decoder.ts";
export { parseJsonText } from "./exact-integers.ts";
export * from "./json.ts";
export * from "./protobuf/index.ts";
export { goJsonText, holdsRawJson } from "./raw-text.ts";
export * from "./yaml.ts";
export { yamlError } from "./yaml-error.ts";
export * from "./yaml-library.ts";
