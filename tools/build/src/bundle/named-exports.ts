import { dirname, sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin } from "esbuild";

const NAMESPACE = "named-exports";

/**
 * Lets `await import("library")` have the exports that Node gives it. From a library in CommonJS the bundler makes a module with
 * nothing but a default export; here its names are added, as Node lists them.
 */
export const namedExports: Plugin = {
  name: "named-exports",
  setup(build) {
    build.onResolve({ filter: /^[^.]/ }, async ({ path, kind, resolveDir, pluginData }) => {
      if (kind !== "dynamic-import" || path.startsWith("node:") || pluginData === NAMESPACE) return undefined;
      const found = await build.resolve(path, { resolveDir, kind, pluginData: NAMESPACE });
      if (!found.path.includes(`${sep}node_modules${sep}`)) return undefined;
      return { path: found.path, namespace: NAMESPACE };
    });
    build.onLoad({ filter: /./, namespace: NAMESPACE }, async ({ path }) => {
      const names = Object.keys((await import(pathToFileURL(path).href)) as object).filter(
        (name) => name !== "default",
      );
      const exports = names.filter((name) => /^[\w$]+$/.test(name)).join(", ");
      return {
        contents: `import * as library from ${JSON.stringify(path)};\nexport const { ${exports} } = library;\nexport default library.default;`,
        resolveDir: dirname(path),
      };
    });
  },
};
