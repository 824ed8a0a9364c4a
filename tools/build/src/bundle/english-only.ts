import { join } from "node:path";
import type { Plugin } from "esbuild";

/** Leaves out the messages of zod in other languages than English, which nobody selects: 400 KB of each bundle. */
export const englishOnly: Plugin = {
  name: "english-only",
  setup(build) {
    build.onResolve({ filter: /locales\/index\.js$/ }, ({ importer, resolveDir, path }) =>
      /[\\/]zod[\\/]/.test(importer) ? { path: join(resolveDir, path), namespace: "english-only" } : undefined,
    );
    build.onLoad({ filter: /./, namespace: "english-only" }, ({ path }) => ({
      contents: 'export { default as en } from "./en.js";',
      resolveDir: join(path, ".."),
    }));
  },
};
