import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readPluginConfigurations } from "./read-plugin-configurations.ts";

const dir = mkdtempSync(join(tmpdir(), "admission-configuration-"));
afterAll(() => rmSync(dir, { recursive: true }));
let count = 0;
const file = (document: object, name = `${++count}.json`): string => {
  const path = join(dir, name);
  writeFileSync(path, JSON.stringify(document));
  return path;
};
const head = { apiVersion: "apiserver.config.o8s.io/v1", kind: "AdmissionConfiguration" };
const plugins = (...list: readonly object[]) => file({ ...head, plugins: list });
const rates = { apiVersion: "eventratelimit.admission.o8s.io/v1alpha1", kind: "Configuration" };
const selectors = { podNodeSelectorPluginConfig: { ns: "a=b" } };
const podSecurity = { apiVersion: "pod-security.admission.config.o8s.io/v1", kind: "PodSecurityConfiguration" };
const all = new Set(["EventRateLimit", "PodNodeSelector", "PodSecurity", "LimitRanger", "ImagePolicyWebhook"]);
const read = (path: string, ...names: readonly string[]) => readPluginConfigurations(path, new Set(names));

test("no file configures nothing", async () => {
  expect(await read("", "PodSecurity")).toEqual({ configurations: {}, errors: [], warnings: [] });
});

test("plugins that cannot do without a configuration say so", async () => {
  const { errors } = await readPluginConfigurations("", all);
  expect(errors).toEqual([
    '--admission-control-config-file: plugin "EventRateLimit" is enabled and needs a configuration; none is given',
    '--admission-control-config-file: plugin "ImagePolicyWebhook" is enabled and needs a configuration; none is given',
  ]);
});

test("configurations are in the file or in files of their own, relative to it; defaults are filled in", async () => {
  file(selectors, "selectors.json");
  const path = plugins(
    {
      name: "EventRateLimit",
      path: "/gone",
      configuration: { ...rates, limits: [{ type: "User", qps: 1, burst: 2 }] },
    },
    { name: "PodNodeSelector", path: "selectors.json" },
    { name: "PodSecurity", configuration: { ...podSecurity, defaults: { enforce: "baseline" } } },
  );
  const { configurations, errors, warnings } = await read(path, "EventRateLimit", "PodNodeSelector", "PodSecurity");
  expect([errors, warnings]).toEqual([[], []]);
  expect(configurations).toMatchObject({
    EventRateLimit: { limits: [{ type: "User", qps: 1, burst: 2, cacheSize: 4096 }] },
    PodNodeSelector: selectors,
    PodSecurity: {
      defaults: { enforce: "baseline", "enforce-version": "latest", warn: "privileged" },
      exemptions: { usernames: [], namespaces: [], runtimeClasses: [] },
    },
  });
});

test("a document without a version is that of the plugins which know none", async () => {
  const { configurations, warnings } = await read(file(selectors), "PodNodeSelector");
  expect([configurations, warnings]).toEqual([{ PodNodeSelector: selectors }, []]);
});

test("what has no effect is reported", async () => {
  const path = plugins(
    { name: "LimitRanger", configuration: { a: 1 } },
    { name: "Other", path: "/gone" },
    { name: "PodSecurity" },
    { name: "PodSecurity", configuration: { nonsense: true } },
  );
  expect(await read(path, "LimitRanger", "PodSecurity")).toEqual({
    configurations: {},
    errors: [],
    warnings: [
      '--admission-control-config-file: plugin "LimitRanger" takes no configuration; what it is given has no effect',
      '--admission-control-config-file: plugin "Other" is configured and not enabled',
      '--admission-control-config-file: plugin "PodSecurity" is configured more than once; the first counts',
    ],
  });
});

test("every error is reported at once", async () => {
  const path = plugins(
    { name: "EventRateLimit", configuration: { ...rates, limits: [{ type: "Nope", qps: 0, burst: 1 }] } },
    { name: "PodNodeSelector", path: "gone.json" },
    {
      name: "PodSecurity",
      configuration: {
        ...podSecurity,
        defaults: { enforce: "strict", "warn-version": "1.27" },
        exemptions: { usernames: ["a", "a"], namespaces: ["A"] },
        more: 1,
      },
    },
  );
  const { errors } = await read(path, "EventRateLimit", "PodNodeSelector", "PodSecurity");
  const at = `--admission-control-config-file: file "${path}", plugin`;
  const name = "--admission-control-config-file:";
  expect(errors.map((line) => line.replace(/ENOENT.*/, "ENOENT"))).toEqual([
    `${at} "EventRateLimit", field limits[0].type: invalid value "Nope"; want one of "Server", "Namespace", "User", "SourceAndObject"`,
    `${at} "EventRateLimit", field limits[0].qps: invalid value 0; want at least 1`,
    `${name} file "${join(dir, "gone.json")}" cannot be read: ENOENT`,
    `${at} "PodSecurity", field defaults.enforce: invalid value "strict"; want one of "privileged", "baseline", "restricted"`,
    `${at} "PodSecurity", field defaults.warn-version: invalid value "1.27"; want "latest" or a version such as "v1.27"`,
    `${at} "PodSecurity", field exemptions.usernames[1]: invalid value "a"; want every name once`,
    `${at} "PodSecurity", field exemptions.namespaces[0]: invalid value "A"; want the name of a namespace`,
    `${at} "PodSecurity", field more: unknown field`,
  ]);
});

test.each([
  [{ apiVersion: "v1", kind: "AdmissionConfiguration" }, "field apiVersion: invalid value"],
  [{ ...head, plugins: [{ name: "", more: 1 }] }, "field plugins[0].name: invalid value"],
])("%j is no such document", async (document, want) => {
  expect((await read(file(document), "PodSecurity")).errors[0]).toContain(want);
});
