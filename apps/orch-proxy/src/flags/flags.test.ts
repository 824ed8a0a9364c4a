import { flagProblems } from "@orchernetes/component/flag-reference";
import { expect, test } from "vitest";
import { orchProxyFlags as flags } from "./index.ts";

test("the default of every flag is a valid value of the flag, and the help shows every flag that is not hidden", () => {
  expect(flagProblems("orch-proxy", flags)).toEqual([]);
});

test("there is every flag of kube-proxy 1.27 that is about the proxy, under the name of this project", () => {
  const wanted =
    "bind-address bind-address-hard-fail cleanup cluster-cidr config config-sync-period conntrack-max-per-core conntrack-min conntrack-tcp-timeout-close-wait conntrack-tcp-timeout-established detect-local-mode feature-gates healthz-bind-address healthz-port hostname-override iptables-localhost-nodeports iptables-masquerade-bit iptables-min-sync-period iptables-sync-period ipvs-exclude-cidrs ipvs-min-sync-period ipvs-scheduler ipvs-strict-arp ipvs-sync-period ipvs-tcp-timeout ipvs-tcpfin-timeout ipvs-udp-timeout log-flush-frequency masquerade-all master metrics-bind-address metrics-port nodeport-addresses oom-score-adj orch-api-burst orch-api-content-type orch-api-qps orchconfig pod-bridge-interface pod-interface-name-prefix profiling proxy-mode proxy-port-range show-hidden-metrics-for-version v vmodule write-config-to";
  for (const name of wanted.split(" ")) expect(Object.keys(flags)).toContain(name);
});
