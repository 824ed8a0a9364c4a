import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FlagTable, parseFlags } from "@orchernetes/component";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { completeConfig as cloudControllerManager } from "../../../apps/cloud-controller-manager/src/config.ts";
import { cloudControllerManagerFlags } from "../../../apps/cloud-controller-manager/src/flags/index.ts";
import { completeConfig as orchControllerManager } from "../../../apps/orch-controller-manager/src/config.ts";
import { orchControllerManagerFlags } from "../../../apps/orch-controller-manager/src/flags/index.ts";
import { completeConfig as orchProxy } from "../../../apps/orch-proxy/src/config.ts";
import { orchProxyFlags } from "../../../apps/orch-proxy/src/flags/index.ts";
import { completeConfig as scheduler } from "../../../apps/orch-scheduler/src/config.ts";
import { schedulerFlags } from "../../../apps/orch-scheduler/src/flags/index.ts";
import { completeConfig as orchlet } from "../../../apps/orchlet/src/config.ts";
import { orchletFlags } from "../../../apps/orchlet/src/flags/index.ts";
import { tables } from "./status-page.ts";

const program = { name: "x", description: "x", version: { text: "v", raw: "v" } };

/** The flags of a command line, and what the table says about them. */
function parsed<T extends FlagTable>(table: T, argv: readonly string[]) {
  const result = parseFlags(program, table, argv);
  if (result.type !== "run") throw new Error(JSON.stringify(result));
  return result;
}

describe.each(Object.entries(tables as Readonly<Record<string, FlagTable>>))("flags of %s", (_, table) => {
  test("warn when they are set if and only if they have no effect", () => {
    for (const [name, flag] of Object.entries(table)) {
      if (flag.default === undefined || typeof flag.default === "object" || flag.deprecated !== undefined) continue;
      const { warnings } = parsed(table, [`--${name}=${flag.default}`]);
      expect(warnings).toEqual(flag.effect === "none" ? [`flag --${name} has no effect yet`] : []);
    }
  });
});

let dir: string;
let client: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "warnings-"));
  client = join(dir, "client");
  const document = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1", "insecure-skip-tls-verify": true } }],
    users: [{ name: "u", user: { token: "t" } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  };
  writeFileSync(client, JSON.stringify(document), { mode: 0o600 });
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const gate = "--feature-gates=KMSv2=false,HPAContainerMetrics=false,NodeSwap=true";
const onlyHere = ["--fail-swap-on=false", "--address=127.0.0.1"];

test.each([
  [
    "orch-scheduler",
    () => {
      const { flags, explicit } = parsed(schedulerFlags, [`--orchconfig=${client}`, gate]);
      return scheduler(flags, explicit);
    },
    ["KMSv2=false", "HPAContainerMetrics=false", "NodeSwap=true"],
  ],
  [
    "orch-controller-manager",
    () => {
      const { flags, explicit } = parsed(orchControllerManagerFlags, [`--orchconfig=${client}`, gate]);
      return orchControllerManager(flags, explicit);
    },
    ["KMSv2=false", "NodeSwap=true"],
  ],
  [
    "cloud-controller-manager",
    () => {
      const argv = [`--orchconfig=${client}`, "--cloud-provider=none", gate];
      const provider = async () => ({
        create() {
          throw new Error("no cloud is asked");
        },
      });
      const { flags, explicit } = parsed(cloudControllerManagerFlags, argv);
      return cloudControllerManager(flags, explicit, { none: provider });
    },
    ["KMSv2=false", "HPAContainerMetrics=false", "NodeSwap=true"],
  ],
  [
    "orch-proxy",
    () => {
      const { flags, explicit } = parsed(orchProxyFlags, [`--orchconfig=${client}`, gate]);
      return orchProxy(flags, explicit);
    },
    ["KMSv2=false", "HPAContainerMetrics=false", "NodeSwap=true"],
  ],
  [
    "orchlet",
    () => {
      const { flags, explicit } = parsed(orchletFlags, [gate, ...onlyHere]);
      return orchlet(flags, explicit);
    },
    ["KMSv2=false", "HPAContainerMetrics=false"],
  ],
] as const)("gates that switch nothing in %s warn", async (daemon, complete, gates) => {
  const { warnings } = await complete();
  expect(warnings.filter((text) => text.startsWith("feature gate"))).toEqual(
    gates.map((name) => `feature gate ${name} has no effect: it switches nothing in ${daemon}`),
  );
});

test.each([
  "manifest-url",
  "manifest-url-header",
  "http-check-frequency",
  "minimum-image-ttl-duration",
  "image-gc-high-threshold",
  "image-gc-low-threshold",
  "container-log-max-size",
  "container-log-max-files",
  "seccomp-default",
  "reserved-cpus",
  "pod-max-pids",
  "eviction-hard",
  "eviction-pressure-transition-period",
])("--%s stands for a field that has an effect, and has it too", (name) => {
  const { field, effect } = (orchletFlags as FlagTable)[name] ?? {};
  expect([typeof field, effect]).toEqual(["string", undefined]);
});
