import { failedStart } from "@orchernetes/testkit";
import { expect, test } from "vitest";

test("errors of all kinds: one line each, code 1, and nothing else", () => {
  const flags = [
    "--bogus",
    "--conntrack-min=-1",
    "--proxy-mode=kernelspace",
    "--orchconfig=/gone/client",
    "--cluster-cidr=10.0.0.0/33",
    "--feature-gates=Nope=true",
    "--detect-local-mode=BridgeInterface",
  ];
  const wanted = [
    /^unknown flag --bogus; see --help/,
    /^invalid value "-1" for flag --conntrack-min: want at least 0$/,
    /^invalid value "kernelspace" for flag --proxy-mode: want .*"?nftables"?/,
    /^--orchconfig: "\/gone\/client":? cannot be read: .*; (want|expected)/,
    /^--cluster-cidr: field clusterCIDR: invalid value "10.0.0.0\/33"; want a CIDR, or one of each IP family/,
    /^--feature-gates: unrecognized feature gate: Nope/,
    /^--pod-bridge-interface: field detectLocal.bridgeInterface: invalid value ""; want a value, because detectLocalMode/,
  ];
  const { code, stdout, errors } = failedStart("orch-proxy", flags);
  expect([code, stdout]).toEqual([1, ""]);
  for (const want of wanted) expect(errors).toContainEqual(expect.stringMatching(want));
  expect(errors).toHaveLength(wanted.length);
});
