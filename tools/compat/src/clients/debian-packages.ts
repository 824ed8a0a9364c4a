import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** What a package manager needs to be asked. */
type Call = (file: string, args: readonly string[], cwd?: string) => Promise<string>;

const call: Call = async (file, args, cwd) =>
  (await run(file, [...args], { cwd, maxBuffer: 16e6, env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } }))
    .stdout;

/** Names in the answer of `apt-get install --simulate`: what an installation would add to this machine. */
export function packagesToInstall(simulation: string): readonly string[] {
  return [...simulation.matchAll(/^Inst (\S+)/gm)].map(([, name = ""]) => name);
}

/**
 * Unpacks a Debian package, and those of its dependencies that the machine lacks, into a folder: nothing is installed.
 *
 * @returns the folder, to be read as `/`
 * @throws Error with the reason, where there is no apt-get, or it can't get a package
 */
export async function unpackDebianPackage(name: string, folder: string): Promise<string> {
  if (!existsSync("/usr/bin/apt-get")) throw new Error(`the Debian package ${name} needs apt-get, which is not here`);
  const [archives, root] = [join(folder, "archives"), join(folder, "root")];
  for (const dir of [archives, root]) mkdirSync(dir, { recursive: true });
  const simulate = () => call("apt-get", ["install", "--simulate", "--no-install-recommends", name]);
  try {
    let simulation = await simulate().catch(() => undefined);
    if (simulation === undefined) {
      await call("apt-get", ["update", "-qq"]);
      simulation = await simulate();
    }
    // Of an installed package nothing would be added; it is unpacked all the same, so that its version is what is tried.
    const names = new Set([name, ...packagesToInstall(simulation)]);
    await call("apt-get", ["download", "-qq", ...names], archives);
  } catch (error) {
    const { stderr = "" } = error as { readonly stderr?: string };
    const reason = stderr.match(/^E: .*$/m)?.[0].slice(3) ?? String(error);
    throw new Error(`apt-get can't bring the Debian package ${name}: ${reason}`, { cause: error });
  }
  for (const archive of readdirSync(archives)) await call("dpkg-deb", ["--extract", join(archives, archive), root]);
  return root;
}
