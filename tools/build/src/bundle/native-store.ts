import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Plugin } from "esbuild";

/** File of the embedded store's native part, beside the bundle. */
export const NATIVE_FILE = "lmdb.node";

/** Loads the native part from the folder of the library. */
const FROM_FILE = `module.exports = () => require("./${NATIVE_FILE}");`;

/**
 * Loads lmdb's native part from the file beside the bundle, where the library would look for its own package. Where the program uses
 * lmdb, `found` is called with the path of the binary for this platform.
 *
 * @param loader source of a CommonJS module whose export returns the native part
 */
export function nativeStore(found: (binary: string) => void, loader = FROM_FILE): Plugin {
  return {
    name: "native-store",
    setup(build) {
      build.onResolve({ filter: /^node-gyp-build-optional-packages$/ }, ({ importer }) => {
        if (!/[\\/]lmdb[\\/]/.test(importer)) return undefined;
        const locator = createRequire(importer)("node-gyp-build-optional-packages") as { path(folder: string): string };
        found(locator.path(dirname(importer).replace(/[\\/]dist$/, "")));
        return { path: join(dirname(importer), NATIVE_FILE), namespace: "native-store" };
      });
      build.onResolve({ filter: /./, namespace: "native-store" }, ({ path }) => ({ path, external: true }));
      build.onLoad({ filter: /./, namespace: "native-store" }, () => ({ contents: loader, loader: "js" }));
    },
  };
}
