import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const INFO = "var/lib/dpkg/info";

/** Why no root with these packages can be made here; undefined if one can. */
export function whyNoHostRoot(packages: readonly string[]): string | undefined {
  if (process.getuid?.() !== 0) return "only root can make a system in a folder";
  if (!existsSync("/usr/bin/dpkg-deb") || !existsSync("/var/lib/dpkg/status")) return "this is no Debian system";
  const missing = packages.filter((name) => dependsOf(name) === undefined);
  return missing.length === 0 ? undefined : `packages are not installed: ${missing.join(", ")}`;
}

/**
 * Makes a small Debian system in a folder out of packages that this machine has, with those that they depend on: their files as the
 * package manager knows them, and its records. Nothing is fetched, and nothing else of this machine is in it.
 *
 * @returns names of the packages
 */
export function makeHostRoot(folder: string, packages: readonly string[]): readonly string[] {
  const names = withDependencies(packages);
  for (const name of ["bin", "sbin", "lib", "lib64"]) {
    mkdirSync(join(folder, "usr", name), { recursive: true });
    symlinkSync(`usr/${name}`, join(folder, name));
  }
  for (const name of ["dev", "proc", "etc", "tmp", "run", INFO, "var/lib/dpkg/updates", "var/log"])
    mkdirSync(join(folder, name), { recursive: true });
  const files = execFileSync("dpkg", ["-L", ...names], { encoding: "utf8", maxBuffer: 1 << 28 })
    .split("\n")
    .filter((line) => line.startsWith("/") && line !== "/." && existsSync(line));
  const archive = execFileSync("tar", ["-C", "/", "--no-recursion", "-cf", "-", "-T", "-"], {
    input: files.map((file) => `.${file}\n`).join(""),
    maxBuffer: 1 << 30,
  });
  execFileSync("tar", ["-C", folder, "--keep-directory-symlink", "-xf", "-"], { input: archive });
  if (!existsSync(join(folder, "bin/sh"))) symlinkSync("dash", join(folder, "bin/sh"));
  const status = execFileSync("dpkg-query", ["-s", ...names], { encoding: "utf8", maxBuffer: 1 << 26 });
  writeFileSync(join(folder, "var/lib/dpkg/status"), `${status.replaceAll(/\n{2,}/g, "\n\n").trim()}\n`);
  const own = new RegExp(`^(${names.map((name) => name.replaceAll(/[.+]/g, "\\$&")).join("|")})(:[^.]+)?\\.list$`);
  for (const file of readdirSync(`/${INFO}`).filter((name) => own.test(name)))
    copyFileSync(`/${INFO}/${file}`, join(folder, INFO, file));
  writeFileSync(join(folder, "etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n");
  writeFileSync(join(folder, "etc/group"), "root:x:0:\n");
  writeFileSync(join(folder, "etc/shadow"), "root:*:1:0:99999:7:::\n", { mode: 0o600 });
  execFileSync("mknod", ["-m", "666", join(folder, "dev/null"), "c", "1", "3"]);
  execFileSync("ldconfig", ["-r", folder]);
  return names;
}

function withDependencies(packages: readonly string[]): readonly string[] {
  const found = new Set<string>();
  const add = (name: string): boolean => {
    if (found.has(name)) return true;
    const depends = dependsOf(name);
    if (depends === undefined) return false;
    found.add(name);
    for (const alternatives of depends) alternatives.find(add);
    return true;
  };
  for (const name of packages) if (!add(name)) throw new Error(`package ${name} is not installed`);
  return [...found];
}

/** What a package depends on, each with its alternatives; undefined if it is not installed. */
function dependsOf(name: string): readonly (readonly string[])[] | undefined {
  try {
    const format = `$\{db:Status-Status} $\{Pre-Depends}, $\{Depends}`;
    const text = execFileSync("dpkg-query", ["-W", "-f", format, name], { encoding: "utf8", stdio: "pipe" });
    if (!text.startsWith("installed ")) return undefined;
    return text
      .slice("installed ".length)
      .split(",")
      .map((entry) => entry.split("|").map((one) => one.trim().replace(/[ :(].*/, "")))
      .filter(([first]) => first !== "");
  } catch {
    return undefined;
  }
}

/** Runs a program in the root as one of its users, with /proc, in mounts of its own that end with it. */
export const inRoot = (folder: string, command: readonly string[], user = "root"): readonly string[] => [
  "unshare",
  "--mount",
  "--propagation=private",
  "sh",
  "-c",
  'mount --bind /proc "$0/proc" && user=$1 && shift && exec chroot "--userspec=$user:$user" "$0" "$@"',
  folder,
  user,
  ...command,
];
