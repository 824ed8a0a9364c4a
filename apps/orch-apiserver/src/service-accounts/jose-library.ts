import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** The library that verifies JSON Web Tokens. It is loaded by the first call instead of at start, which saves start-up time. */
export function joseLibrary(): typeof import("jose") {
  return require("jose");
}
