import { expect, test } from "vitest";
import { masqueradeComment, masqueradeRule } from "./masquerade.ts";
import { planNatCleanup } from "./nat-rules.ts";

const base = `*nat
:PREROUTING ACCEPT [0:0]
:INPUT ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]`;
const shared = {
  chains: `:CNI-HOSTPORT-DNAT - [0:0]
:CNI-HOSTPORT-MASQ - [0:0]
:CNI-HOSTPORT-SETMARK - [0:0]`,
  rules: `-A PREROUTING -m addrtype --dst-type LOCAL -j CNI-HOSTPORT-DNAT
-A OUTPUT -m addrtype --dst-type LOCAL -j CNI-HOSTPORT-DNAT
-A POSTROUTING -m comment --comment "CNI portfwd requiring masquerade" -j CNI-HOSTPORT-MASQ
-A CNI-HOSTPORT-MASQ -m mark --mark 0x2000/0x2000 -j MASQUERADE
-A CNI-HOSTPORT-SETMARK -m comment --comment "CNI portfwd masquerade mark" -j MARK --set-xmark 0x2000/0x2000`,
};
const sharedGone = [
  "-D PREROUTING -m addrtype --dst-type LOCAL -j CNI-HOSTPORT-DNAT",
  "-D OUTPUT -m addrtype --dst-type LOCAL -j CNI-HOSTPORT-DNAT",
  '-D POSTROUTING -m comment --comment "CNI portfwd requiring masquerade" -j CNI-HOSTPORT-MASQ',
  "-X CNI-HOSTPORT-DNAT",
  "-F CNI-HOSTPORT-MASQ",
  "-X CNI-HOSTPORT-MASQ",
  "-F CNI-HOSTPORT-SETMARK",
  "-X CNI-HOSTPORT-SETMARK",
];
/** As the bridge plugin could make it for each pod, and did in clusters of earlier versions. */
const masquerade = (network: string, chain: string) => ({
  chains: `:${chain} - [0:0]`,
  rules: `-A POSTROUTING -s 10.1.1.2/32 -m comment --comment "name: \\"${network}\\" id: \\"ab\\"" -j ${chain}
-A ${chain} ! -d 224.0.0.0/4 -m comment --comment "name: \\"${network}\\" id: \\"ab\\"" -j MASQUERADE`,
});
const port = (network: string, chain: string) => ({
  chains: `:${chain} - [0:0]`,
  rules: `-A CNI-HOSTPORT-DNAT -p tcp -m comment --comment "dnat name: \\"${network}\\" id: \\"ab\\"" -m multiport --dports 8080 -j ${chain}
-A ${chain} -s 10.1.1.0/24 -p tcp -m tcp --dport 8080 -j CNI-HOSTPORT-SETMARK
-A ${chain} -p tcp -m tcp --dport 8080 -j DNAT --to-destination 10.1.1.2:80`,
});
/** As iptables prints the rule of a network. */
const masqueraded = (network: string, subnet: string) =>
  `-A POSTROUTING -s ${subnet} ! -d 10.1.0.0/16 -m addrtype ! --dst-type MULTICAST -m comment --comment ${masqueradeComment(network)} -j MASQUERADE --random-fully`;
const addresses = (network: string, subnet: string) =>
  `-A POSTROUTING -s 10.1.0.0/16 -d ${subnet} -m mark ! --mark 0x2000/0x2000 -m comment --comment pods-reach-${network} -j ACCEPT`;
const saved = (...parts: readonly { readonly chains: string; readonly rules: string }[]) =>
  [base, ...parts.map(({ chains }) => chains), ...parts.map(({ rules }) => rules), "COMMIT", ""].join("\n");
const transaction = (...lines: readonly string[]) => ["*nat", ...lines, "COMMIT"];

test.each<[string, string, readonly string[]]>([
  ["nothing is there", saved(), []],
  ["the shared chains are empty", saved(shared), transaction(...sharedGone)],
  ["another network maps a port", saved(shared, port("theirs", "CNI-DN-1")), []],
  ["another network has pods only", saved(masquerade("theirs", "CNI-1")), []],
  [
    "a network whose name begins as ours does has pods",
    saved(masquerade("ours-2", "CNI-1"), port("ours-2", "CNI-DN-2"), shared),
    [],
  ],
  [
    "a sandbox of ours was not cleaned up",
    saved(shared, masquerade("ours", "CNI-1"), port("ours", "CNI-DN-2"), masquerade("theirs", "CNI-3")),
    transaction(
      '-D POSTROUTING -s 10.1.1.2/32 -m comment --comment "name: \\"ours\\" id: \\"ab\\"" -j CNI-1',
      '-D CNI-HOSTPORT-DNAT -p tcp -m comment --comment "dnat name: \\"ours\\" id: \\"ab\\"" -m multiport --dports 8080 -j CNI-DN-2',
      ...sharedGone.slice(0, 3),
      "-F CNI-1",
      "-X CNI-1",
      "-F CNI-DN-2",
      "-X CNI-DN-2",
      ...sharedGone.slice(3),
    ),
  ],
  ...[masqueraded, addresses].map((rule): [string, string, readonly string[]] => [
    "our network has a rule, and another one, too",
    saved({ chains: "", rules: [rule("ours", "10.1.1.0/24"), rule("ours-2", "10.1.2.0/24")].join("\n") }),
    transaction(rule("ours", "10.1.1.0/24").replace("-A ", "-D ")),
  ]),
])("rules and chains to delete when %s", (_, text, want) => {
  expect(planNatCleanup(text, "ours")).toEqual(want);
});

test("the rule that masquerades pods is the one that is deleted", () => {
  const rule = masqueradeRule({ bridge: "ours", subnet: "10.1.1.0/24", clusterCidr: "10.1.0.0/16" });
  expect(`-A ${rule.join(" ")}`).toBe(masqueraded("ours", "10.1.1.0/24"));
});
