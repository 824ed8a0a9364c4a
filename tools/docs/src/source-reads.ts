import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../..");

/** What all daemons are built from, and read settings in their stead. */
const sharedPackages = [
  "client",
  "component",
  "controller",
  "cri",
  "daemon-server",
  "leader-election",
  "tls",
  "tracing",
];

const cloud = "packages/cloud-provider/src";

/** The parts of the cloud's package that a manager runs. */
const ofManagers: Readonly<Record<string, readonly string[]>> = {
  "orch-controller-manager": [
    "manager",
    ...["service", "route", "node-lifecycle"].map((name) => `controllers/${name}`),
  ],
  "cloud-controller-manager": ["manager", "controllers"],
};

/** A source file of the project: its path from the root, and its text. */
interface Source {
  readonly path: string;
  readonly text: string;
}

function sourcesBelow(folder: string): readonly Source[] {
  return readdirSync(join(root, folder)).flatMap((name) => {
    const path = `${folder}/${name}`;
    if (statSync(join(root, path)).isDirectory()) return sourcesBelow(path);
    if (!name.endsWith(".ts") || name.endsWith(".test.ts")) return [];
    return [{ path, text: readFileSync(join(root, path), "utf8") }];
  });
}

/**
 * Finds uses of a setting in the text of a daemon's sources. A use does not prove an effect, but a setting without any use cannot have
 * one.
 */
export class SourceReads {
  readonly #sources: readonly Source[];

  /** @param without paths that only declare or describe settings, or check files that they name */
  constructor(daemon: string, without: RegExp) {
    const folders = [
      `apps/${daemon}/src`,
      ...sharedPackages.map((name) => `packages/${name}/src`),
      ...(ofManagers[daemon] ?? []).map((folder) => `${cloud}/${folder}`),
    ];
    this.#sources = folders.flatMap(sourcesBelow).filter(({ path }) => !without.test(path));
  }

  /** The files that read a flag. */
  ofFlag(name: string): readonly string[] {
    // A row of a flag table is not a use.
    const row = new RegExp(`^\\s*"?${name}"?: [{\\w]`);
    const read = name.includes("-")
      ? new RegExp(`"${name}"`)
      : new RegExp(`"${name}"|\\b(?:flags|logs)\\.${name}\\b|[{,]\\s*${name}\\b[^=]*\\} = (?:\\w+\\.)?flags\\b`);
    return this.#filesWith(name, (line) => read.test(line) && !row.test(line));
  }

  /** The files that read a field of a configuration document, by its dotted path. */
  ofField(path: string): readonly string[] {
    const name = path.split(".").at(-1) ?? path;
    const read = new RegExp(`\\.${name}\\b|"${name}"|"${path}"|[{,(]\\s*${name}\\s*[,:}]|^\\s*${name},$`);
    return this.#filesWith(name, (line) => read.test(line));
  }

  /** The files that ask for a feature gate. */
  ofGate(name: string): readonly string[] {
    const asked = new RegExp(`[eE]nabled\\("${name}"\\)`);
    return this.#filesWith(name, (line) => asked.test(line));
  }

  #filesWith(name: string, isHit: (line: string) => boolean): readonly string[] {
    const hits = this.#sources.filter(({ text }) => text.includes(name) && text.split("\n").some(isHit));
    return hits.map(({ path }) => path);
  }
}
