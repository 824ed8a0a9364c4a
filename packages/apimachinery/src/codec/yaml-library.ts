import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/**
 * The library that reads and writes YAML. It is loaded by the first call: that takes 20 ms and 4 MB, and most servers
 * never receive YAML.
 */
export function yamlLibrary(): typeof import("yaml") {
  return require("yaml");
}
