import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { readRegularFile } from "@orchernetes/host";
import type { PodPort } from "@orchernetes/proxy";

/** The largest file that is read. That of a pod has about two kilobytes. */
const MAX_BYTES = 1 << 20;

/** More files than a node has pods. */
const MAX_FILES = 10_000;

/**
 * The pods of this node that network plugins (CNI) have connected to one of the bridges, as libcni notes them: it writes the result of
 * each plugin into a folder that only root may enter, and removes it with the pod.
 */
export class CniResults {
  readonly #folder: string;
  readonly #bridges: ReadonlySet<string>;
  /** By name of the file, which contains the id of the sandbox. Undefined: of another network. */
  #known = new Map<string, PodPort | undefined>();

  constructor(folder: string, bridges: readonly string[]) {
    this.#folder = folder;
    this.#bridges = new Set(bridges);
  }

  /** Reads what is new. A folder that does not exist is empty. */
  async read(): Promise<readonly PodPort[]> {
    const files = (await readdir(this.#folder).catch(ifAbsent)) ?? [];
    const known = new Map<string, PodPort | undefined>();
    for (const file of files.slice(0, MAX_FILES)) {
      if (this.#known.has(file)) known.set(file, this.#known.get(file));
      else await this.#readFile(file, known);
    }
    this.#known = known;
    return [...known.values()].filter((port) => port !== undefined);
  }

  /** A file that cannot be read is read again the next time: it may not have been written to its end. */
  async #readFile(file: string, known: Map<string, PodPort | undefined>): Promise<void> {
    try {
      const bytes = await readRegularFile(join(this.#folder, file), { maxBytes: MAX_BYTES });
      known.set(file, podPortOf(JSON.parse(bytes.toString()), this.#bridges));
    } catch {
      // Other files are none of ours.
    }
  }
}

/** The port of a pod that is connected to one of the bridges; undefined if the text says something else. */
export function podPortOf(cached: unknown, bridges: ReadonlySet<string>): PodPort | undefined {
  const result = recordOf(recordOf(cached).result);
  const interfaces = listOf(result.interfaces).map(recordOf);
  const isOnHost = ({ sandbox }: Fields) => sandbox === undefined || sandbox === "";
  const onHost = interfaces.filter(isOnHost).map(({ name }) => textOf(name));
  if (!onHost.some((name) => bridges.has(name))) return undefined;
  const ports = onHost.filter((name) => name !== "" && !bridges.has(name));
  const [name, ...others] = ports;
  if (name === undefined || others.length > 0) return undefined;
  const isOfPod = (index: unknown) => {
    const found = typeof index === "number" ? interfaces[index] : undefined;
    return found === undefined || !isOnHost(found);
  };
  const addresses = listOf(result.ips)
    .map(recordOf)
    .filter((ip) => isOfPod(ip.interface))
    .map(({ address }) => textOf(address).replace(/\/\d+$/, ""));
  return { name, addresses };
}

type Fields = Readonly<Record<string, unknown>>;

const recordOf = (value: unknown): Fields => (typeof value === "object" && value !== null ? { ...value } : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function ifAbsent(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
  throw error;
}
