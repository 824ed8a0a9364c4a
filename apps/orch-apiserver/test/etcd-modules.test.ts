import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { etcdAvailable, startApiServer } from "@orchernetes/testkit";
import { expect, test } from "vitest";

/** Run before the server: writes the names of the modules that it has loaded when it ends. */
const PRELOAD = `
import { createRequire } from "node:module";
import { writeFileSync } from "node:fs";
const { cache } = createRequire(import.meta.url);
process.on("exit", () => writeFileSync(process.env.LOADED_MODULES, Object.keys(cache).join("\\n")));
`;

test.skipIf(!etcdAvailable())(
  "an API server on etcd talks to it by etcd3's clients, without grpc-js",
  async () => {
    let loaded = "";
    const server = await startApiServer({
      store: "etcd",
      // A bundle is one module.
      from: "source",
      env: (dir) => {
        const preload = join(dir, "preload.mjs");
        loaded = join(dir, "loaded-modules");
        writeFileSync(preload, PRELOAD);
        return { NODE_OPTIONS: `--import=${pathToFileURL(preload).href}`, LOADED_MODULES: loaded };
      },
    });
    try {
      process.kill(server.pid, "SIGTERM");
      await expect.poll(() => server.running, { timeout: 20_000 }).toBe(false);
      const modules = readFileSync(loaded, "utf8");
      expect(modules).toContain("/etcd3/lib/rpc.js");
      for (const unwanted of ["@grpc/grpc-js", "@grpc/proto-loader", "/etcd3/lib/index.js", "cockatiel"])
        expect(modules).not.toContain(unwanted);
    } finally {
      await server.stop();
    }
  },
  180_000,
);
