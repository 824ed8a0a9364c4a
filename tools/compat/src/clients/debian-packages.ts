import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Runs a program and returns its standard output. */
type Call = (file: string, args: readonly string[], cwd?: string) => Promise<string>;

const call: Call = async (file, args, cwd) =>
  (await run(file, [...args], { cwd, maxBuffer: 16e6, env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } }))
    .stdout;

/** Package names in the output of `apt-get install --simulate`: the packages that an installation would add. */
export function packagesToInstall(simulation: string): readonly string[] {
  return [...simulation.matchAll(/^Inst (\S+)/gm)].map(([, name = ""]) => name);
}

/**
 * Unpacks a Debian package and those of its dependencies that are not installed into a folder. Installs nothing.
 *
 * @returns the folder, which has the layout of `/`
 * @throws Error with the reason when there is no apt-get or it cannot download a package
 */
export async function unpackDebianPackage(name: string, folder: string): Promise<string> {
  if (!existsSync("/usr/bin/apt-get"))
    throw new Error(`the Debian package ${name} needs apt-get, which is not installed`);
  const [archives, root] = [join(folder, "archives"), join(folder, "root")];
  for (const dir of [archives, root]) mkdirSync(dir, { recursive: true });
  const simulate = () => call("apt-get", ["install", "--simulate", "--no-install-recommends", name]);
  try {
    let simulation = await simulate().catch(() => undefined);
    // Package lists may be absent, as in most container images.
    if (simulation === undefined) {
      await call("apt-get", ["update", "-qq"]);
      simulation = await simulate();
    }
    // An installation adds nothing for an installed package. It is unpacked anyway, so that the version under test is
    // that of the package.
    const names = new Set([name, ...packagesToInstall(simulation)]);
    await call("apt-get", ["download", "-qq", ...names], archives);
  } catch (error) {
    const { stderr = "" } = error as { readonly stderr?: string };
    const reason = stderr.match(/^E: .*$/m)?.[0].slice(3) ?? String(error);
    throw new Error(`apt-get cannot download the Debian package ${name}: ${reason}`, { cause: error });
  }
  for (const archive of readdirSync(archives)) await call("dpkg-deb", ["--extract", join(archives, archive), root]);
  return root;
}
