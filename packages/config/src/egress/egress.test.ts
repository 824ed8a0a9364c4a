import { expect, test } from "vitest";
import { ConfigFileError, egressSelectorConfigurationSchema, parseConfig } from "../index.ts";

const file = (...egressSelections: readonly object[]) => ({
  apiVersion: "apiserver.o8s.io/v1beta1",
  kind: "EgressSelectorConfiguration",
  egressSelections,
});
const through = (connection: object, name = "cluster") => file({ name, connection });
const proxy = (transport: object, proxyProtocol = "HTTPConnect") => through({ proxyProtocol, transport });
const files = { caBundle: "/ca", clientCert: "/cert", clientKey: "/key" };
const read = (document: object) => parseConfig(document, egressSelectorConfigurationSchema, "file");
function errorsOf(document: object): readonly string[] {
  try {
    read(document);
  } catch (error) {
    if (error instanceof ConfigFileError) return error.errors;
    throw error;
  }
  return [];
}

test.each<[string, object, object]>([
  ["directly", through({ proxyProtocol: "Direct" }), { type: "direct" }],
  [
    "without TLS, on the default port",
    proxy({ tcp: { url: "http://proxy.example" } }),
    { type: "httpConnect", transport: { type: "tcp", host: "proxy.example", port: 80, tls: undefined } },
  ],
  [
    "with TLS, on the default port",
    proxy({ tcp: { url: "https://10.0.0.1", tlsConfig: files } }),
    { type: "httpConnect", transport: { type: "tcp", host: "10.0.0.1", port: 443, tls: files } },
  ],
  [
    "at an IPv6 address, without its brackets",
    proxy({ tcp: { url: "https://[fd00::1]:8131", tlsConfig: { clientCert: "/c", clientKey: "/k" } } }),
    {
      type: "httpConnect",
      transport: { type: "tcp", host: "fd00::1", port: 8131, tls: { caBundle: "", clientCert: "/c", clientKey: "/k" } },
    },
  ],
  [
    "over a unix socket",
    proxy({ uds: { udsName: "/run/p.sock" } }),
    { type: "httpConnect", transport: { type: "uds", path: "/run/p.sock" } },
  ],
  [
    "by GRPC",
    proxy({ uds: { udsName: "/run/p.sock" } }, "GRPC"),
    { type: "grpc", transport: { type: "uds", path: "/run/p.sock" } },
  ],
])("a destination is reached %s", (_name, document, connection) => {
  expect(read(document).egressSelections).toEqual([{ name: "cluster", connection }]);
});

test("names are read in any case, and master is the former name of controlplane", () => {
  const direct = { proxyProtocol: "Direct" };
  const document = file(
    { name: "Cluster", connection: direct },
    { name: "master", connection: direct },
    { name: "ETCD", connection: direct },
  );
  expect(read(document).egressSelections.map(({ name }) => name)).toEqual(["cluster", "controlplane", "etcd"]);
  expect(errorsOf(file({ name: "master", connection: direct }, { name: "controlplane", connection: direct }))).toEqual([
    'file, field egressSelections[1].name: invalid value "controlplane"; want each selection once; "controlplane" is given before',
  ]);
});

const at = "egressSelections[0].connection";
const tcp = (url: string, tlsConfig?: object) => proxy({ tcp: { url, ...(tlsConfig && { tlsConfig }) } });
test.each<[string, object, string, string]>([
  ["no protocol", through({}), `${at}.proxyProtocol`, 'supported values: "Direct", "GRPC", "HTTPConnect"'],
  ["a protocol in another case", through({ proxyProtocol: "direct" }), `${at}.proxyProtocol`, "supported values"],
  ["an unknown name", through({ proxyProtocol: "Direct" }, "nodes"), "egressSelections[0].name", "supported values"],
  [
    "a transport of a direct connection",
    proxy({}, "Direct"),
    `${at}.transport`,
    "Transport config should be absent for direct connect",
  ],
  [
    "no transport of a proxy",
    through({ proxyProtocol: "HTTPConnect" }),
    `${at}.transport`,
    "transport must be set for HTTPConnect",
  ],
  ["an empty transport", proxy({}), `${at}.transport.tcp`, "One of TCP or UDS must be set"],
  [
    "two transports",
    proxy({ tcp: { url: "http://a" }, uds: { udsName: "/s" } }),
    `${at}.transport.tcp`,
    "TCP and UDS cannot both be set",
  ],
  ["no transport of GRPC", through({ proxyProtocol: "GRPC" }), `${at}.transport`, "transport must be set for GRPC"],
  ["GRPC without a socket", proxy({}, "GRPC"), `${at}.transport.uds`, "UDS must be set with GRPC"],
  [
    "a socket without a name",
    proxy({ uds: {} }, "GRPC"),
    `${at}.transport.uds.udsName`,
    "UDSName should be present for UDS connections",
  ],
  [
    "another scheme",
    tcp("ftp://a"),
    `${at}.transport.tcp.url`,
    "supported connection protocols are http:// and https://",
  ],
  ["no address", tcp(""), `${at}.transport.tcp.url`, "supported connection protocols are http:// and https://"],
  ["a bad port", tcp("http://a:99999"), `${at}.transport.tcp.url`, "want a URL such as https://127.0.0.1:8131"],
  [
    "certificates for plain text",
    tcp("http://a", files),
    `${at}.transport.tcp.tlsConfig`,
    "TLSConfig config should not be present when using HTTP",
  ],
  [
    "TLS without certificates",
    tcp("https://a"),
    `${at}.transport.tcp.tlsConfig`,
    "TLSConfig must be present when using HTTPS",
  ],
  [
    "TLS without a client certificate",
    tcp("https://a", { clientKey: "/k" }),
    `${at}.transport.tcp.tlsConfig.clientCert`,
    "Using TLS requires clientCert",
  ],
  [
    "TLS without a key",
    tcp("https://a", { clientCert: "/c" }),
    `${at}.transport.tcp.tlsConfig.clientKey`,
    "Using TLS requires clientKey",
  ],
])("%s is an error with its place", (_name, document, place, message) => {
  const errors = errorsOf(document);
  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain(`file, field ${place}: `);
  expect(errors[0]).toContain(message);
});
