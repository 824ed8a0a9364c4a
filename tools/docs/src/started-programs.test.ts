import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const OWN = "@orchernetes/";

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const folders = ["apps", "packages", "tools"].flatMap((group) =>
  readdirSync(`${root}${group}`)
    .map((name) => `${group}/${name}`)
    .filter((folder) => existsSync(`${root}${folder}/package.json`)),
);
const manifests = new Map(
  folders.map((folder) => {
    const manifest = JSON.parse(readFileSync(`${root}${folder}/package.json`, "utf8")) as Manifest;
    return [manifest.name.slice(OWN.length), manifest];
  }),
);

/** What a package depends on directly, packages of the workspace only. */
const dependenciesOf = (name: string): readonly string[] => {
  const { dependencies, devDependencies } = manifests.get(name) ?? {};
  return Object.keys({ ...dependencies, ...devDependencies })
    .filter((dependency) => dependency.startsWith(OWN))
    .map((dependency) => dependency.slice(OWN.length));
};

/** What a package depends on, also through others: what turbo runs its tests again for. */
function closureOf(name: string, found = new Set<string>()): ReadonlySet<string> {
  for (const dependency of dependenciesOf(name)) {
    if (found.has(dependency)) continue;
    found.add(dependency);
    closureOf(dependency, found);
  }
  return found;
}

/** What sources start as processes, by what they say. */
const STARTS: readonly (readonly [says: RegExp, program: string])[] = [
  [/\bstartApiServer\b/, "orch-apiserver"],
  [/\bstartCluster\b/, "local-cluster"],
  [/\bstartDaemon\(\{ name: "orch-scheduler"/, "orch-scheduler"],
  [/\bstartDaemon\(\{ name: "orch-controller-manager"/, "orch-controller-manager"],
  [/\bapps\/\$\{name\}\/src\/main\.mjs/, "orchlet"],
  [/"tools\/orch-etcd\/src\/main\.ts"/, "orch-etcd"],
];

const started = readdirSync(`${root}tools`).flatMap((tool) => {
  const texts = globSync(`${root}tools/${tool}/{src,test}/**/*.ts`)
    .filter((file) => file !== import.meta.filename)
    .map((file) => readFileSync(file, "utf8"));
  return STARTS.filter(([says]) => texts.some((text) => says.test(text))).map(
    ([, program]) => [tool, program] as const,
  );
});

test("tools that start programs are found", () => {
  expect(started).toContainEqual(["bench", "orch-scheduler"]);
  expect(started).toContainEqual(["build", "orch-etcd"]);
});

test.each(started)("tools/%s depends on %s, which it starts", (tool, program) => {
  expect(closureOf(tool)).toContain(program);
});

test.each(["build", "local-cluster", "compose", "e2e"])("tools/%s depends on every daemon", (tool) => {
  const daemons = readdirSync(`${root}apps`);
  expect(daemons.filter((name) => !closureOf(tool).has(name))).toEqual([]);
});
