import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/**
 * The library that reads and writes YAML. It is loaded by the first call: it takes 20 ms and 4 MB, and most servers never see a
 * text in YAML.
 */
export function yamlLibrary(): typeof import("yaml") {
  return require("yaml");
}
