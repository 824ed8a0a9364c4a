import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { programNamed } from "./programs.ts";

/** Builds the bundles of the named programs. The bundler is loaded only here: commands that run a bundle do without it. */
export async function buildBundles(names: readonly string[], write: (text: string) => void): Promise<void> {
  const { bundleProgram } = await import("./bundle/bundle.ts");
  for (const name of names) {
    const started = performance.now();
    const { folder } = await bundleProgram(programNamed(name));
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    write(` ✓ ${seconds} s  ${folder}: ${(runtimeBytes(folder) / 1e6).toFixed(1)} MB\n`);
  }
}

/** Size of what runs: of everything but the source maps and the stamp. */
function runtimeBytes(folder: string): number {
  return readdirSync(folder)
    .filter((name) => !name.endsWith(".map") && name !== "build.json")
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}
