import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Plugin } from "esbuild";

/** Worker threads of a program: the name of each one's file in the bundle, with the path of its source. */
export type Workers = Map<string, string>;

const WORKER_URL = /new URL\("\.\/([\w-]+)\.ts", import\.meta\.url\)/g;

/** A thread of a file in the bundle's folder. */
const workerFile = (name: string): string => `new URL("./${name}.mjs", import.meta.url)`;

/**
 * Finds the worker threads that the sources start as `new URL("./name.ts", import.meta.url)`, reports them in `found`, and lets the
 * expression name what is built from them.
 *
 * @param url the expression for the thread of that name
 */
export function workers(found: Workers, url: (name: string) => string = workerFile): Plugin {
  return {
    name: "workers",
    setup(build) {
      build.onLoad({ filter: /-thread\.ts$/ }, async ({ path }) => {
        if (path.includes("node_modules")) return undefined;
        const text = await readFile(path, "utf8");
        const contents = text.replaceAll(WORKER_URL, (_, name: string) => {
          found.set(name, join(dirname(path), `${name}.ts`));
          return url(name);
        });
        return { contents, loader: "ts" };
      });
    },
  };
}
