import { watch } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import type { core } from "@orchernetes/api";
import { equalJson, formatTime } from "@orchernetes/apimachinery";
import { readRegularFile } from "@orchernetes/cri/host";
import type { Clock, Logger } from "@orchernetes/kernel";
import { hashAnnotation } from "../types/pod-identity.ts";
import { parseStaticPods } from "./static-pod.ts";

/** Maximum size of a manifest, in bytes. */
const maxBytes = 10 * 1024 * 1024;

/** Told of the static pods that there are now to be, all of them, whenever they differ. */
export type OnStaticPods = (pods: readonly core.Pod[]) => void;

interface Common {
  readonly nodeName: string;
  readonly periodMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onPods: OnStaticPods;
  readonly signal: AbortSignal;
}

/** Follows a manifest, or a folder of them, until the signal aborts: looks again at every change, and every so often. */
export async function followManifests(path: string, options: Common): Promise<void> {
  const { signal } = options;
  let ring: (() => void) | undefined;
  try {
    watch(path, { signal }, () => ring?.()).on("error", () => undefined);
  } catch {
    // The folder may appear later; it is looked at every so often anyway.
  }
  await poll(
    async () => {
      const texts: [string, string][] = [];
      const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
        // Only a source that certainly does not exist has no pods; a read error must not terminate them.
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
        // Manifests may be links, as the files of a mounted config map are.
        const content = await readRegularFile(await realpath(file), { maxBytes: maxBytes + 1 });
        if (content.length <= maxBytes) texts.push([file, content.toString("utf8")]);
        else options.logger.error(tooLong(file), "A static pod cannot be read", { location: file });
      }
      return texts;
    },
    "file",
    options,
    (wake) => {
      ring = wake;
    },
  );
}

/** Follows manifests at an address until the signal aborts. */
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

async function poll(
  read: () => Promise<readonly (readonly [string, string])[]>,
  source: "file" | "http",
  { nodeName, periodMs, clock, logger, onPods, signal }: Common,
  onWaker?: (wake: () => void) => void,
): Promise<void> {
  let seen: ReadonlyMap<string, string> = new Map();
  let shown: readonly string[] | undefined;
  while (!signal.aborted) {
    try {
      const pods: core.Pod[] = [];
      const names = new Set<string>();
      const seenNow = new Map<string, string>();
      for (const [location, text] of await read()) {
        const at = seen.get(`${location}\n${text}`) ?? formatTime(clock.now());
        seenNow.set(`${location}\n${text}`, at);
        try {
          for (const pod of parseStaticPods(text, { source, location, nodeName, seen: at })) {
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
      // What was read last stays: a source that is away for a moment must not end its pods.
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
        // An editor writes a file in several steps.
        clock.setTimeout(resolve, 100);
      });
      signal.addEventListener("abort", wake, { once: true });
    });
  }
}

/** @throws Error for a pod that would share its name or folder with another of the source */
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
