import { once } from "node:events";
import { createServer, type Server } from "node:https";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { Readable } from "node:stream";
import { core } from "@orchernetes/api";
import { notFound } from "@orchernetes/apimachinery";
import type { Registry, RequestContext, RequestHandler } from "@orchernetes/apiserver";
import {
  createCertificateAuthority,
  fixed,
  issueClientCertificate,
  issueServerCertificate,
  parseCertificates,
} from "@orchernetes/tls";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { createDestinationResolver } from "../dial/destination-resolver.ts";
import { podLogHandler } from "./log.ts";
import { createNodeConnection, type NodeConnection } from "./node-connection.ts";
import { nodeProxyHandler } from "./proxy.ts";

const ownPort = 6443;
const destinations = createDestinationResolver({
  isOwnListener: ({ port }) => port === ownPort,
  lookup: async (name) => (name === "node-a" ? ["127.0.0.1"] : ["10.0.0.1"]),
});
const { signal } = new AbortController();
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

let nodesCa: Awaited<ReturnType<typeof createCertificateAuthority>>;
let clusterCa: typeof nodesCa;
let client: { readonly certPem: string; readonly keyPem: string };
beforeAll(async () => {
  nodesCa = await createCertificateAuthority({ commonName: "nodes" });
  clusterCa = await createCertificateAuthority({ commonName: "cluster" });
  client = await issueClientCertificate(clusterCa, { commonName: "orch-apiserver-orchlet-client" });
});

const connection = (caPem: string | undefined, timeoutMs = 5000): NodeConnection =>
  createNodeConnection({
    client: fixed({ pair: client, ...(caPem && { ca: { pem: caPem, certificates: parseCertificates(caPem, "ca") } }) }),
    preferredAddressTypes: ["Hostname", "InternalIP"],
    timeoutMs,
    destinations,
  });

/** A registry with one node of the given status. */
const registryOf = (status: Partial<core.NodeStatus>): Registry =>
  ({
    forDefinition: () => ({
      get: async ({ name }: { readonly name: string }) => {
        if (name !== "n") throw notFound({ group: "", plural: "nodes" }, name);
        return { metadata: { name }, status };
      },
    }),
  }) as unknown as Registry;
const nodeAt = (address: string, Port: number, type: core.NodeAddress["type"] = "InternalIP"): Registry =>
  registryOf({ addresses: [{ type, address }], daemonEndpoints: { orchletEndpoint: { Port } } });

async function agentServer(ca: typeof nodesCa, hosts: readonly string[]): Promise<number> {
  const { certPem, keyPem } = await issueServerCertificate(ca, { commonName: "n", hosts });
  const server: Server = createServer({ cert: certPem, key: keyPem }, (_, response) => response.end("agent"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

describe("whose certificate", () => {
  test.each([
    ["names the address that is dialled", () => nodesCa, ["127.0.0.1"], "127.0.0.1", undefined],
    ["names the DNS name of the node", () => nodesCa, ["node-a"], "node-a", undefined],
    [
      "names another address",
      () => nodesCa,
      ["10.9.9.9", "localhost"],
      "127.0.0.1",
      /is valid for 10\.9\.9\.9, not 127/,
    ],
    ["names the address but not the name", () => nodesCa, ["127.0.0.1"], "node-a", /not valid for any names.*node-a/],
    ["is of another authority of the cluster", () => clusterCa, ["127.0.0.1"], "127.0.0.1", /certificate/],
  ] as const)("%s", async (_, ca, hosts, address, refusal) => {
    const nodes = connection(nodesCa.certPem);
    const port = await agentServer(ca(), hosts);
    const found = await nodes.locate("n", nodeAt(address, port, "Hostname"), signal);
    expect(found).toEqual({ host: "127.0.0.1", port, name: address });
    const connected = nodes.connect(found).then((socket) => socket.destroy());
    if (refusal === undefined) await connected;
    else await expect(connected).rejects.toThrow(refusal);
  });
});

describe("addresses of agents", () => {
  test.each([
    ["a global one, unverified", undefined, nodeAt("10.0.0.7", 10250), "10.0.0.7:10250"],
    ["a global one", "ca", nodeAt("10.0.0.7", 10250), "10.0.0.7:10250"],
    ["a loopback one that has to prove itself", "ca", nodeAt("127.0.0.1", 10250), "127.0.0.1:10250"],
  ] as const)("%s", async (_, ca, registry, want) => {
    const { host, port } = await connection(ca && nodesCa.certPem).locate("n", registry, signal);
    expect(`${host}:${port}`).toBe(want);
  });

  test.each([
    ["a loopback one, unverified", undefined, nodeAt("127.0.0.1", 10250), /address not allowed: node "n" is at "127/],
    ["a name of a loopback one, unverified", undefined, nodeAt("node-a", 10250, "Hostname"), /of name "node-a"/],
    ["a link-local one", "ca", nodeAt("169.254.169.254", 80), /address not allowed/],
    ["the server's own", "ca", nodeAt("127.0.0.1", ownPort), /this API server listens/],
    ["none", "ca", registryOf({}), /no preferred addresses found/],
  ] as const)("%s is refused", async (_, ca, registry, message) => {
    await expect(connection(ca && nodesCa.certPem).locate("n", registry, signal)).rejects.toThrow(message);
  });

  test("other ports of a node are never on loopback, whatever its agent proves", async () => {
    const nodes = connection(nodesCa.certPem);
    expect(await nodes.locatePort("n", 10250, nodeAt("127.0.0.1", 10250), signal)).toBeUndefined();
    await expect(nodes.locatePort("n", 2379, nodeAt("127.0.0.1", 10250), signal)).rejects.toThrow(
      "address not allowed",
    );
    expect(await nodes.locatePort("n", 9100, nodeAt("10.0.0.7", 10250), signal)).toMatchObject({ port: 9100 });
  });
});

describe("an agent that never begins its answer is given up after --orchlet-timeout", () => {
  const pod = { metadata: { namespace: "ns", name: "p" }, spec: { nodeName: "n", containers: [{ name: "c" }] } };
  test.each<[string, (nodes: NodeConnection) => RequestHandler, object]>([
    ["logs", podLogHandler, { namespace: "ns", name: "p" }],
    ["pages of the agent", nodeProxyHandler, { name: "n", path: "/api/v1/nodes/n/proxy/pods", resource: "nodes" }],
  ])("%s", async (_, make, requestInfo) => {
    const { certPem, keyPem } = await issueServerCertificate(nodesCa, { commonName: "n", hosts: ["127.0.0.1"] });
    const silent = createServer({ cert: certPem, key: keyPem }, () => undefined).listen(0, "127.0.0.1");
    await once(silent, "listening");
    closers.push(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const nodes = nodeAt("127.0.0.1", (silent.address() as AddressInfo).port);
    const registry = {
      forDefinition: (definition: { readonly plural: string }) =>
        definition.plural === "pods" ? { get: async () => pod } : nodes.forDefinition(core.nodes),
    };
    const req = Object.assign(Readable.from([]), { method: "GET", headers: {}, httpVersionMajor: 1 });
    const res = { headersSent: false, on: () => undefined };
    const query = new URLSearchParams();
    const admit = async () => undefined;
    const context = { registry, requestInfo, signal, query, req, res, admit } as unknown as RequestContext;
    await expect(make(connection(nodesCa.certPem, 150)).handle(context)).rejects.toThrow("no response within 150 ms");
  });
});

test("a connection that is accepted and never answered ends after --orchlet-timeout", async () => {
  const silent = createTcpServer((socket) => socket.on("error", () => undefined)).listen(0, "127.0.0.1");
  await once(silent, "listening");
  closers.push(() => silent.close());
  const { port } = silent.address() as AddressInfo;
  const nodes = connection(nodesCa.certPem, 100);
  await expect(nodes.connect({ host: "127.0.0.1", name: "127.0.0.1", port })).rejects.toThrow("within 100 ms");
});
