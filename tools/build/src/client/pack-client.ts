import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleModules, inputsOf } from "../bundle/bundle.ts";
import { writeLicences } from "../licences/write-licences.ts";
import { dist, root } from "../paths.ts";
import { writeDeclarations } from "./declarations.ts";

const SOURCE = join(root, "packages/client");

/**
 * Makes the npm package of the client: its code with that of the packages that it uses, so that it has no dependencies,
 * declarations, and the example.
 *
 * @returns path of the tarball
 */
export async function packClient(folder = join(dist, "client")): Promise<string> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const metafiles = await bundleModules({ index: join(SOURCE, "src/index.ts") }, folder);
  writeDeclarations("client", join(folder, "types"));
  writeLicences(folder, "@orchernetes/client", inputsOf(metafiles));
  cpSync(join(SOURCE, "examples"), join(folder, "examples"), { recursive: true });
  copyFileSync(join(SOURCE, "README.md"), join(folder, "README.md"));
  copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest(), null, 2)}\n`);
  const output = execFileSync("npm", ["pack", "--json", "--pack-destination", dist], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, npm_config_update_notifier: "false" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [packed] = JSON.parse(output) as readonly [{ readonly filename: string }];
  return join(dist, packed.filename);
}

/** The manifest that users install; the workspace's own names sources. */
function manifest(): object {
  const { name, version, description, license } = JSON.parse(
    readFileSync(join(SOURCE, "package.json"), "utf8"),
  ) as Readonly<Record<string, string>>;
  return {
    name,
    version,
    description,
    license,
    type: "module",
    engines: { node: ">=22" },
    exports: { ".": { types: "./types/client/src/index.d.ts", default: "./index.mjs" } },
    files: ["*.mjs", "*.cjs", "*.map", "types", "examples", "NOTICES.txt", "sbom.cdx.json"],
  };
}
