import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** The library that signs and verifies tokens; loaded by the first call, not at start. */
export function joseLibrary(): typeof import("jose") {
  return require("jose");
}
