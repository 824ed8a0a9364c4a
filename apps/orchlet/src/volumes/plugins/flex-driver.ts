import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { messageOf } from "@orchernetes/kernel";
import { isPathPart } from "../../util/paths.ts";

const run = promisify(execFile);
/** Limits of one call of a driver. */
const callMs = 120_000;
const maxOutputBytes = 65_536;

/** Calls the programs of FlexVolume drivers: `<folder>/<vendor>~<driver>/<driver>`. */
export interface FlexDrivers {
  /** Mounts a volume at a folder. @throws Error if there is no such driver, or it fails */
  mount(driver: string, target: string, options: Readonly<Record<string, string>>): Promise<void>;
  unmount(driver: string, target: string): Promise<void>;
}

/**
 * Creates the caller of the drivers. Each driver is initialized once. Drivers that attach volumes (capability `attach`, which is their
 * default) are refused: nothing here attaches FlexVolumes, which are deprecated.
 *
 * @param folder of `volumePluginDir`
 */
export function createFlexDrivers(folder: string): FlexDrivers {
  const initialized = new Map<string, Promise<string>>();

  const init = (driver: string): Promise<string> => {
    const known = initialized.get(driver) ?? start(folder, driver);
    initialized.set(driver, known);
    known.catch(() => initialized.delete(driver));
    return known;
  };
  return {
    async mount(driver, target, options) {
      await call(await init(driver), driver, "mount", target, JSON.stringify(options));
    },
    async unmount(driver, target) {
      await call(await init(driver), driver, "unmount", target);
    },
  };
}

/** Initializes a driver, and returns its program. */
async function start(folder: string, driver: string): Promise<string> {
  const [vendor = "", name = "", ...rest] = driver.includes("/") ? driver.split("/") : ["", driver];
  const parts = vendor === "" ? [name] : [`${vendor}~${name}`, name];
  if (rest.length > 0 || !parts.every(isPathPart))
    throw new Error(`invalid name of a FlexVolume driver ${JSON.stringify(driver)}: want vendor/driver`);
  const program = join(folder, parts[0] ?? "", name);
  const { capabilities } = await call(program, driver, "init");
  const attach: unknown =
    typeof capabilities === "object" && capabilities !== null ? Reflect.get(capabilities, "attach") : undefined;
  if (attach !== false)
    throw new Error(
      `FlexVolume driver ${driver} requires attachment, which is not supported for FlexVolumes; want a driver whose init reports {"capabilities":{"attach":false}}, or a CSI driver`,
    );
  return program;
}

async function call(program: string, driver: string, ...args: readonly string[]): Promise<Record<string, unknown>> {
  const fail = (why: string, cause?: unknown) =>
    new Error(`FlexVolume driver ${driver}: ${args[0]} failed: ${why.slice(0, 1000)}`, { cause });
  let stdout: string;
  try {
    ({ stdout } = await run(program, args, { timeout: callMs, maxBuffer: maxOutputBytes, killSignal: "SIGKILL" }));
  } catch (error) {
    // A driver reports its errors in its output, and by its exit code.
    const { stdout: said = "", code } = error as { readonly stdout?: string; readonly code?: unknown };
    if (code === "ENOENT") throw fail(`there is no program ${program} (volumePluginDir)`, error);
    throw fail(parse(said)?.message?.toString() ?? messageOf(error).split("\n")[0] ?? "", error);
  }
  const answer = parse(stdout);
  if (answer === undefined) throw fail(`it wrote ${JSON.stringify(stdout.slice(0, 200))}; want an object of JSON`);
  if (answer.status === "Success") return answer;
  throw fail(`${String(answer.status)}: ${String(answer.message ?? "")}`);
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
