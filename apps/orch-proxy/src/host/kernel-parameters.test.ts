import { orchProxyConfigurationSchema, parseConfig } from "@orchernetes/config";
import { silentLogger } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { setParameters } from "./kernel-parameters.ts";
import { conntrackParameters, routingParameters } from "./needed-parameters.ts";

const settingsOf = (fields: object) =>
  parseConfig(
    { apiVersion: "orchproxy.config.o8s.io/v1alpha1", kind: "OrchProxyConfiguration", ...fields },
    orchProxyConfigurationSchema,
    "test",
  );
const valuesOf = (needed: ReturnType<typeof routingParameters>) =>
  Object.fromEntries(needed.map(({ name, value }) => [name, value]));

test("forwarding, bridges and loopback addresses are set up as the services need it", () => {
  expect(valuesOf(routingParameters(settingsOf({})))).toEqual({
    "net/ipv4/ip_forward": "1",
    "net/bridge/bridge-nf-call-iptables": "1",
    "net/ipv4/conf/all/route_localnet": "1",
  });
});

test.each([
  [{}, true],
  [{ nodePortAddresses: ["192.0.2.0/24", "fd00::/64"] }, false],
  [{ nodePortAddresses: ["192.0.2.0/24", "127.0.0.0/8"] }, true],
  [{ nodePortAddresses: ["0.0.0.0/0"] }, true],
  [{ iptables: { localhostNodePorts: false } }, false],
  [{ iptables: { localhostNodePorts: false }, loopbackPorts: [6443] }, true],
])("loopback addresses are routed only if something is served there: %j: %s", (fields, routed) => {
  const names = Object.keys(valuesOf(routingParameters(settingsOf(fields))));
  expect(names.includes("net/ipv4/conf/all/route_localnet")).toBe(routed);
});

test("the limit of connections grows with the processors, and zeros leave the kernel's settings", () => {
  const timeouts = {
    "net/netfilter/nf_conntrack_tcp_timeout_established": "86400",
    "net/netfilter/nf_conntrack_tcp_timeout_close_wait": "3600",
  };
  expect(valuesOf(conntrackParameters(settingsOf({}), 2))).toEqual({
    "net/netfilter/nf_conntrack_max": "131072",
    ...timeouts,
  });
  expect(valuesOf(conntrackParameters(settingsOf({}), 8))).toMatchObject({
    "net/netfilter/nf_conntrack_max": "262144",
  });
  const conntrack = { maxPerCore: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" };
  expect(conntrackParameters(settingsOf({ conntrack }), 8)).toEqual([]);
});

test("what is set already is not written, and each change is logged; failures do not keep others from being set", async () => {
  const values = new Map([
    ["a", "1"],
    ["b", "0"],
    ["c", "0"],
  ]);
  const lines: string[] = [];
  const note = (message: string, of?: object) => void lines.push(`${message} ${JSON.stringify(of)}`);
  const logger = {
    ...silentLogger,
    info: note,
    warn: note,
    error: (error: unknown, message: string) => void lines.push(`${message}: ${error}`),
  };
  const written: string[] = [];
  await setParameters(
    ["a", "b", "gone", "c"].map((name) => ({ name, value: "1", why: "so" })),
    {
      read: async (name) => values.get(name),
      async write(name) {
        if (name === "b") throw new Error("read-only");
        written.push(name);
      },
    },
    logger,
  );
  expect(written).toEqual(["c"]);
  expect(lines).toEqual([
    "Unable to set a kernel parameter: Error: read-only",
    'The kernel does not support a parameter {"parameter":"gone","wanted":"1","why":"so"}',
    'Set a kernel parameter {"parameter":"c","from":"0","to":"1","why":"so"}',
  ]);
});
