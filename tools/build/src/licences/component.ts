import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../paths.ts";

/** A package of others that is in what was built. */
export interface Component {
  readonly name: string;
  readonly version: string;
  /** SPDX expression. */
  readonly licence: string;
  /** The licence's text, with the copyright lines; undefined where the package comes without. */
  readonly text: string | undefined;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string | { readonly type: string };
}

/**
 * The packages that files come from, sorted by name and version.
 *
 * @param inputs paths in the workspace; its own files belong to no package of others
 * @throws Error if a package names no licence
 */
export function componentsOf(inputs: readonly string[]): readonly Component[] {
  const folders = new Set(inputs.map(packageFolder).filter((folder) => folder !== undefined));
  const byId = new Map([...folders].map(readComponent).map((component) => [idOf(component), component]));
  return [...byId.values()].sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
}

/** Licences of sources in C that a package's native part is compiled from. */
const NATIVE_PARTS: Readonly<Record<string, { readonly licence: string; readonly files: readonly string[] }>> = {
  lmdb: {
    licence: "OLDAP-2.8 AND BSD-2-Clause",
    files: [
      "dependencies/lmdb/libraries/liblmdb/COPYRIGHT",
      "dependencies/lmdb/libraries/liblmdb/LICENSE",
      "dependencies/lz4/lib/LICENSE",
    ],
  },
};

const idOf = ({ name, version }: Component): string => `${name}@${version}`;

/** Folder of the package that a file below node_modules belongs to. */
export function packageFolder(path: string): string | undefined {
  const marker = "node_modules/";
  const at = path.lastIndexOf(marker);
  if (at < 0) return undefined;
  const [first = "", second = ""] = path.slice(at + marker.length).split("/");
  return join(path.slice(0, at + marker.length), first, first.startsWith("@") ? second : "");
}

function readComponent(folder: string): Component {
  const path = join(root, folder);
  const { name, version, license } = JSON.parse(readFileSync(join(path, "package.json"), "utf8")) as Manifest;
  const licence = typeof license === "object" ? license.type : license;
  if (licence === undefined)
    throw new Error(`${folder}/package.json: found no "license"; an SPDX expression is expected`);
  const file = readdirSync(path).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  const read = (file: string): string => readFileSync(join(path, file), "utf8");
  const native = NATIVE_PARTS[name];
  if (native === undefined) return { name, version, licence, text: file === undefined ? undefined : read(file) };
  const texts = [...(file === undefined ? [] : [file]), ...native.files].map(read);
  return { name, version, licence: `${licence} AND ${native.licence}`, text: texts.join("\n\n") };
}

/** The Node that runs what is built, for outputs that hold it. */
export function nodeComponent(): Component {
  const file = join(root, "node_modules/node/package.json");
  const { version } = JSON.parse(readFileSync(file, "utf8")) as Manifest;
  const text = `The text is at https://github.com/nodejs/node/blob/v${version}/LICENSE`;
  return { name: "node", version, licence: "MIT", text };
}
