import { readFileSync } from "node:fs";
import { getAsset, isSea } from "node:sea";

/** `file.ts:12` by `line:column` by the name of a built file. */
type CallerIndex = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The index that the build leaves beside a bundle's modules, or in an executable. */
const INDEX = "callers.json";

const folderOf = /file:\/\/.*\//;
let index: CallerIndex | undefined;

/**
 * `file.ts:12` in the sources of a logging call in a bundle; undefined for any other call. The index of the calls is read for the
 * first of them. It has a few tens of kilobytes; decoding the source maps instead would take 40 ms and 10 MB.
 *
 * @param frame the call's line of a stack, which names the folder of the bundle
 * @param file name of the built file
 * @param position `line:column` in it
 */
export function bundledCaller(frame: string, file: string, position: string): string | undefined {
  if (!file.endsWith("js")) return undefined;
  index ??= readIndex(folderOf.exec(frame)?.[0]);
  return index[file]?.[position];
}

function readIndex(folder: string | undefined): CallerIndex {
  try {
    const text = isSea() ? getAsset(INDEX, "utf8") : readFileSync(new URL(INDEX, folder), "utf8");
    return JSON.parse(text) as CallerIndex;
  } catch {
    // Not a bundle, or the index was removed: lines name the built file.
    return {};
  }
}
