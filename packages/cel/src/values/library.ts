import { createRequire } from "node:module";
import type { CelEnv } from "@bufbuild/cel";

const require = createRequire(import.meta.url);

type Library = typeof import("@bufbuild/cel");

interface Loaded {
  readonly library: Library;
  readonly environment: CelEnv;
}

let loaded: Loaded | undefined;

/** The library that parses expressions and has the functions of the language. The first call loads it: a server without expressions starts faster. */
export function library(): Loaded {
  if (loaded === undefined) {
    const cel: Library = require("@bufbuild/cel");
    const { strings }: typeof import("@bufbuild/cel/ext") = require("@bufbuild/cel/ext");
    loaded = { library: cel, environment: cel.celEnv({ funcs: strings }) };
  }
  return loaded;
}
