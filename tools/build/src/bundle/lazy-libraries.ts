import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Plugin } from "esbuild";

/** Libraries that a program loads on first use, by name, with the path of each one's main module. */
export type LazyLibraries = Map<string, string>;

/** File of a lazily loaded library, beside the bundle. */
export const libraryFile = (name: string): string =>
  `${name
    .replace(/\.[cm]?js$/, "")
    .replaceAll(/[^\w-]+/g, "-")
    .replace(/^-/, "")}.cjs`;

/**
 * The libraries that the sources load with `require`, and lmdb: joined with other modules it would fail, since it depends on a library
 * that evaluates text with names of its own module. {@link lazyLibraries} fails on any other.
 */
const NAMES: ReadonlySet<string> = new Set([
  "@bufbuild/cel",
  "@bufbuild/cel/ext",
  "@noble/ciphers/salsa.js",
  "jose",
  "lmdb",
  "re2js",
  "yaml",
]);

const MAKES_REQUIRE = /^const require = createRequire\(import\.meta\.url\);\n/m;
const REQUIRES = /\brequire\("([^"]+)"\)/g;

/**
 * Keeps `require("library")` of the workspace's sources lazy. The bundler does not see such a call, because its `require` is made
 * by `createRequire`, and would leave the library out. This plugin lets the call load a file beside the bundle, and reports in
 * `found` which libraries to build into such files. A static import of the same library loads the same file, so that no bundle
 * holds a library twice.
 */
export function lazyLibraries(found: LazyLibraries): Plugin {
  return {
    name: "lazy-libraries",
    setup(build) {
      const find = async (name: string, resolveDir: string): Promise<string> => {
        if (!NAMES.has(name)) throw new Error(`require("${name}"): expected one of ${[...NAMES].join(", ")}`);
        const { path, errors } = await build.resolve(name, {
          resolveDir,
          kind: "require-call",
          pluginData: "lazy",
        });
        if (errors[0] !== undefined) throw new Error(errors[0].text);
        found.set(name, path);
        return `./${libraryFile(name)}`;
      };
      build.onResolve({ filter: /^[^.]/ }, async ({ path, kind, resolveDir, pluginData }) =>
        NAMES.has(path) && kind === "import-statement" && pluginData !== "lazy"
          ? { path: await find(path, resolveDir), external: true }
          : undefined,
      );
      build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (path.includes("node_modules")) return undefined;
        const text = await readFile(path, "utf8");
        if (!MAKES_REQUIRE.test(text)) return undefined;
        let contents = text;
        for (const [call, name = ""] of text.matchAll(REQUIRES))
          contents = contents.replace(call, `require("${await find(name, dirname(path))}")`);
        return { contents, loader: "ts" };
      });
    },
  };
}

/**
 * Puts the libraries into the bundle itself, where `require` still evaluates them on first use: for programs of one file, which then do
 * not depend on files that an upgrade replaces while they run. A static import takes the same form of a library as `require`, so that no
 * bundle holds one twice, and names of lmdb stay apart from those of other modules.
 *
 * @param beside is given lmdb, whose native part needs a folder, and the import loads a file beside the bundle; without it lmdb is put
 *   into the bundle as well
 */
export function inlineLibraries(beside?: LazyLibraries): Plugin {
  return {
    name: "inline-libraries",
    setup(build) {
      build.onResolve({ filter: /^[^.]/ }, async ({ path, kind, resolveDir, pluginData }) => {
        if (!NAMES.has(path) || kind !== "import-statement" || pluginData === "lazy") return undefined;
        const resolved = await build.resolve(path, { resolveDir, kind: "require-call", pluginData: "lazy" });
        if (path !== "lmdb" || beside === undefined || resolved.errors.length > 0) return resolved;
        beside.set(path, resolved.path);
        return { path: `./${libraryFile(path)}`, external: true };
      });
      build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (path.includes("node_modules")) return undefined;
        const text = await readFile(path, "utf8");
        return MAKES_REQUIRE.test(text) ? { contents: text.replace(MAKES_REQUIRE, ""), loader: "ts" } : undefined;
      });
    },
  };
}
