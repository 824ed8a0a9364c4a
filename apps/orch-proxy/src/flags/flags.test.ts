import { type FlagTable, parseFlags } from "@orchernetes/component";
import { expect, test } from "vitest";
import { orchProxyFlags as flags } from "./index.ts";

const program = { name: "orch-proxy", description: "x", version: { text: "v", raw: "v" } };
const table: FlagTable = flags;

test("the defaults parse, and the help shows every flag that is not hidden", () => {
  expect(parseFlags(program, flags, [])).toMatchObject({ type: "run", warnings: [] });
  const help = parseFlags(program, flags, ["--help"]);
  const shown = help.type === "exit" ? [...help.text.matchAll(/--([a-z0-9-]+)[ [\n]/g)].map(([, name]) => name) : [];
  for (const [name, flag] of Object.entries(table)) if (flag.hidden !== true) expect(shown).toContain(name);
});

test("every default is a value the flag accepts", () => {
  for (const [name, flag] of Object.entries(table)) {
    if (flag.default === undefined || typeof flag.default === "object" || flag.default === "") continue;
    expect(parseFlags(program, flags, [`--${name}=${flag.default}`]), name).toMatchObject({ type: "run" });
  }
});

test("there is every flag of kube-proxy 1.27 that is about the proxy, under the name of this project", () => {
  const wanted =
    "bind-address bind-address-hard-fail cleanup cluster-cidr config config-sync-period conntrack-max-per-core conntrack-min conntrack-tcp-timeout-close-wait conntrack-tcp-timeout-established detect-local-mode feature-gates healthz-bind-address healthz-port hostname-override iptables-localhost-nodeports iptables-masquerade-bit iptables-min-sync-period iptables-sync-period ipvs-exclude-cidrs ipvs-min-sync-period ipvs-scheduler ipvs-strict-arp ipvs-sync-period ipvs-tcp-timeout ipvs-tcpfin-timeout ipvs-udp-timeout log-flush-frequency masquerade-all master metrics-bind-address metrics-port nodeport-addresses oom-score-adj orch-api-burst orch-api-content-type orch-api-qps orchconfig pod-bridge-interface pod-interface-name-prefix profiling proxy-mode proxy-port-range show-hidden-metrics-for-version v vmodule write-config-to";
  for (const name of wanted.split(" ")) expect(Object.keys(table)).toContain(name);
});
