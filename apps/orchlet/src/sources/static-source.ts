import { watch } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import type { core } from "@orchernetes/api";
import { equalJson, formatTime } from "@orchernetes/apimachinery";
import { readRegularFile } from "@orchernetes/host";
import type { Clock, Logger } from "@orchernetes/kernel";
import { hashAnnotation } from "../types/pod-identity.ts";
import { parseStaticPods, type StaticOrigin } from "./static-pod.ts";

/** Maximum size of a manifest, in bytes. */
const maxBytes = 10 * 1024 * 1024;

/** Called with all static pods of a source whenever one of them has changed. */
export type OnStaticPods = (pods: readonly core.Pod[]) => void;

/** Options of all sources. */
interface Common {
  readonly nodeName: string;
  /** Time between reads, in milliseconds. */
  readonly periodMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onPods: OnStaticPods;
  readonly signal: AbortSignal;
}

/**
 * Follows a manifest file, or a folder of them, until the signal aborts. It is read after each notification of a
 * change, and at least once per period, because notifications are not reliable on all file systems.
 */
export async function followManifests(path: string, options: Common): Promise<void> {
  const { signal } = options;
  let readNow: (() => void) | undefined;
  try {
    watch(path, { signal }, () => readNow?.()).on("error", () => undefined);
  } catch {
    // The path may be created later; it is read once per period.
  }
  await poll(
    async () => {
      const texts: [string, string][] = [];
      const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
        // Only a path that does not exist has no pods. Other errors must not terminate running pods.
        if (error.code !== "ENOENT") throw error;
        return undefined;
      });
      if (found === undefined) return texts;
      const files = found.isDirectory()
        ? (await readdir(path))
            .filter((name) => !name.startsWith("."))
            .sort()
            .map((name) => join(path, name))
        : [path];
      for (const file of files) {
        const entry = await stat(file).catch(() => undefined);
        if (!entry?.isFile()) continue;
        // Manifests may be symbolic links, such as the files of a mounted config map.
        const content = await readRegularFile(await realpath(file), { maxBytes: maxBytes + 1 });
        if (content.length <= maxBytes) texts.push([file, content.toString("utf8")]);
        else options.logger.error(tooLong(file), "A static pod cannot be read", { location: file });
      }
      return texts;
    },
    "file",
    options,
    (wake) => {
      readNow = wake;
    },
  );
}

/** Follows the manifests at a URL until the signal aborts; it is read once per period. */
export async function followAddress(
  url: string,
  headers: Readonly<Record<string, readonly string[]>>,
  options: Common,
): Promise<void> {
  const sent = Object.entries(headers).flatMap(([name, values]) =>
    values.map((value): [string, string] => [name, value]),
  );
  await poll(
    async () => {
      const response = await fetch(url, {
        headers: sent,
        signal: AbortSignal.any([options.signal, AbortSignal.timeout(10_000)]),
      });
      if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
      return [[url, await textOf(response, url)]];
    },
    "http",
    options,
  );
}

/** The pods of a manifest. @throws Error if it is invalid */
type ReadManifest = () => readonly core.Pod[];

function readManifest(text: string, origin: StaticOrigin): ReadManifest {
  try {
    const pods = parseStaticPods(text, origin);
    return () => pods;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** Reads a source repeatedly. A manifest that cannot be parsed is logged and does not affect the others. */
async function poll(
  read: () => Promise<readonly (readonly [string, string])[]>,
  source: "file" | "http",
  { nodeName, periodMs, clock, logger, onPods, signal }: Common,
  onWaker?: (wake: () => void) => void,
): Promise<void> {
  let seen: ReadonlyMap<string, ReadManifest> = new Map();
  let shown: readonly string[] | undefined;
  while (!signal.aborted) {
    try {
      const pods: core.Pod[] = [];
      const names = new Set<string>();
      const seenNow = new Map<string, ReadManifest>();
      for (const [location, text] of await read()) {
        const key = `${location}\n${text}`;
        // An unchanged manifest is not parsed again: a large one takes seconds.
        const manifest =
          seen.get(key) ?? readManifest(text, { source, location, nodeName, seen: formatTime(clock.now()) });
        seenNow.set(key, manifest);
        try {
          for (const pod of manifest()) {
            claimNames(pod, names);
            pods.push(pod);
          }
        } catch (error) {
          logger.error(error, "A static pod cannot be read", { location });
        }
      }
      seen = seenNow;
      const hashes = pods.map(({ metadata }) => metadata.annotations?.[hashAnnotation] ?? "");
      if (!equalJson(hashes, shown ?? null)) onPods(pods);
      shown = hashes;
    } catch (error) {
      if (signal.aborted) return;
      // The pods of the last successful read stay: a source that is temporarily unavailable must not terminate its
      // pods.
      logger.error(error, "Static pods cannot be read", { source });
    }
    await new Promise<void>((resolve) => {
      const timer = clock.setTimeout(resolve, periodMs);
      const wake = () => {
        timer.clear();
        resolve();
      };
      onWaker?.(() => {
        timer.clear();
        // Editors write a file in several steps: wait until they are likely to be done.
        clock.setTimeout(resolve, 100);
      });
      signal.addEventListener("abort", wake, { once: true });
    });
  }
}

/**
 * Checks that names and uids are unique.
 *
 * @throws Error for a pod that would share its name or folder with another pod of the source
 */
function claimNames({ metadata: { namespace = "", name = "", uid = "" } }: core.Pod, taken: Set<string>): void {
  for (const [what, key] of [
    ["name", `${namespace}/${name}`],
    ["uid", uid],
  ] as const) {
    if (taken.has(key))
      throw new Error(`found another static pod with the ${what} ${JSON.stringify(key)}; want it once`);
    taken.add(key);
  }
}

const tooLong = (location: string): Error =>
  new Error(`${location} is longer than ${maxBytes} bytes, the most that is read of a manifest`);

/** Reads the body of a response. @throws Error if it is longer than the limit; the rest is not read */
async function textOf(response: Response, url: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > maxBytes) throw tooLong(url);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
