import { accessSync, closeSync, constants, fstatSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ContainerConfig } from "../v1/container.ts";
import type { HostImage } from "./host-images.ts";

/** A program to start, with everything resolved. */
export interface HostCommand {
  /** Absolute path of the program. */
  readonly file: string;
  /** Arguments, starting with the name of the program itself. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Absent: same as the runtime. */
  readonly uid?: number;
  readonly gid?: number;
  readonly groups?: readonly number[];
}

/** Folders that commands of a container use. */
export interface HostFolders {
  /** Stands for the root of the container: mounts are links in it. */
  readonly rootfs: string;
  /** Links to busybox applets; the folder may be missing. */
  readonly bin: string;
}

const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Name of the environment variable with the folder that stands for the root of the container. */
export const rootVariable = "ORCHERNETES_CONTAINER_ROOT";

/**
 * Command line of the main process of a container. A command replaces the entrypoint and the command of the image;
 * arguments replace only its command.
 */
export function containerArgv(config: ContainerConfig, image: HostImage): string[] {
  if (config.command.length > 0) return [...config.command, ...config.args];
  return [...image.entrypoint, ...(config.args.length > 0 ? config.args : image.cmd)];
}

/**
 * Completes a command of a container: environment, folder, user, and the program, which is searched in the PATH of
 * the container.
 *
 * @throws Error with the message of other container runtimes if the program cannot be run
 */
export function hostCommand(
  argv: readonly string[],
  config: ContainerConfig,
  hostname: string,
  folders: HostFolders,
): HostCommand {
  const env = new Map([
    ["PATH", `${folders.bin}:${defaultPath}`],
    ["HOSTNAME", hostname],
    ["HOME", folders.rootfs],
    [rootVariable, folders.rootfs],
    ...(config.tty ? [["TERM", "xterm"] as const] : []),
    ...config.envs.map(({ key, value }) => [key, value] as const),
  ]);
  const cwd = join(folders.rootfs, resolve("/", config.workingDir));
  const [name = ""] = argv;
  const found = { file: findExecutable(name, env.get("PATH") ?? "", cwd), argv, env: Object.fromEntries(env), cwd };
  return { ...found, ...identity(config) };
}

/** Wraps a command in a terminal, which the program `script` creates. Node cannot open one itself. */
export function inTerminal(command: HostCommand): HostCommand {
  const script = findExecutable("script", defaultPath, "/");
  const line = ["exec", ...[command.file, ...command.argv.slice(1)].map(quote)].join(" ");
  return {
    ...command,
    file: script,
    argv: ["script", "-qefc", line, "/dev/null"],
    env: { TERM: "xterm", ...command.env, SHELL: "/bin/sh" },
  };
}

/** Whether this host has the program that terminals need. */
export function hasTerminals(): boolean {
  try {
    return findExecutable("script", defaultPath, "/") !== "";
  } catch {
    return false;
  }
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

function findExecutable(name: string, path: string, cwd: string): string {
  if (name === "") throw new Error("no command specified");
  if (name.includes("/")) {
    const file = resolve(cwd, name);
    if (!exists(file)) throw new Error(`exec: "${name}": stat ${name}: no such file or directory`);
    if (!isExecutableFile(file)) throw new Error(`exec: "${name}": permission denied`);
    checkFormat(name, file);
    return file;
  }
  for (const dir of path.split(":")) {
    const file = resolve(cwd, dir, name);
    if (!isExecutableFile(file)) continue;
    checkFormat(name, file);
    return file;
  }
  throw new Error(`exec: "${name}": executable file not found in $PATH`);
}

function exists(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}

function isExecutableFile(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Rejects a file that the kernel cannot execute, because the launcher would crash instead of reporting an error. */
function checkFormat(name: string, file: string): void {
  const head = Buffer.alloc(4);
  // The container may own the folder and replace the file by a FIFO, which must not block the runtime.
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    if (!fstatSync(fd).isFile()) throw new Error(`exec: "${name}": permission denied`);
    readSync(fd, head, 0, 4, 0);
  } finally {
    closeSync(fd);
  }
  if (head.toString("latin1") !== "\x7fELF" && head.toString("latin1", 0, 2) !== "#!") {
    throw new Error(`exec ${name}: exec format error`);
  }
}

/** User and groups of a command. Only root can change them; otherwise they must be those of the runtime. */
function identity(config: ContainerConfig): Pick<HostCommand, "uid" | "gid" | "groups"> {
  const context = config.linux?.securityContext;
  const byName = context?.runAsUsername ? lookUp("/etc/passwd", context.runAsUsername) : undefined;
  const uid = context?.runAsUser ?? byName;
  const gid = context?.runAsGroup ?? (uid === undefined ? undefined : primaryGroup(uid));
  if (uid === undefined && gid === undefined) return {};
  const own = { uid: process.getuid?.(), gid: process.getgid?.() };
  if (own.uid !== 0) {
    if ((uid ?? own.uid) === own.uid && (gid ?? own.gid) === own.gid) return {};
    throw new Error(`cannot run as user ${uid ?? own.uid}, group ${gid ?? own.gid}: the process runtime is not root`);
  }
  return {
    groups: context?.supplementalGroups ?? [],
    ...(uid !== undefined && { uid }),
    ...(gid !== undefined && { gid }),
  };
}

function passwd(): string[][] {
  return readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
}

function lookUp(file: string, name: string): number {
  const entry = passwd().find(([candidate]) => candidate === name);
  if (entry === undefined) throw new Error(`unable to find user ${name}: no matching entries in ${file}`);
  return Number(entry[2]);
}

function primaryGroup(uid: number): number {
  return Number(passwd().find((entry) => Number(entry[2]) === uid && entry.length > 3)?.[3] ?? 0);
}
