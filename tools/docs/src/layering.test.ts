import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

/** The packages from the bottom up, as docs/ARCHITECTURE.md lists them: each may use those before it. */
const LAYERS = [
  "kernel",
  "http2",
  "apimachinery",
  "api",
  "component-helpers",
  "proxy",
  "dns",
  "tls",
  "auth",
  "config",
  "component",
  "tracing",
  "daemon-server",
  "client",
  "leader-election",
  "controller",
  "cloud-provider",
  "storage",
  "apiserver",
  "cel",
  "apiextensions",
  "host",
  "cri",
  "csi",
  "testkit",
];

const root = new URL("../../../", import.meta.url);
const dependenciesOf = (folder: string): readonly string[] => {
  const { dependencies = {} } = JSON.parse(readFileSync(new URL(`${folder}/package.json`, root), "utf8")) as {
    dependencies?: object;
  };
  return Object.keys(dependencies)
    .filter((name) => name.startsWith("@orchernetes/"))
    .map((name) => name.slice("@orchernetes/".length));
};

describe("imports point one way", () => {
  test("every package has its layer", () => {
    expect(readdirSync(new URL("packages/", root)).sort()).toEqual([...LAYERS].sort());
  });

  test.each(LAYERS)("packages/%s uses lower layers only", (name) => {
    const lower = LAYERS.slice(0, LAYERS.indexOf(name));
    expect(dependenciesOf(`packages/${name}`).filter((dependency) => !lower.includes(dependency))).toEqual([]);
  });

  test.each(readdirSync(new URL("apps/", root)))("apps/%s uses packages, and no other app", (name) => {
    expect(dependenciesOf(`apps/${name}`).filter((dependency) => !LAYERS.includes(dependency))).toEqual([]);
  });
});
