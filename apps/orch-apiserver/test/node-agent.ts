import { once } from "node:events";
import https from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import { createCertificateAuthority, issueClientCertificate, issueServerCertificate } from "@orchernetes/tls";

/** A node's agent that serves logs and echoes streams, and shows who asks. */
export interface TestNodeAgent {
  /** At 127.0.0.1. */
  readonly port: number;
  /** The flags of an API server that trusts it. */
  readonly flags: readonly string[];
  /** Streams that are open. */
  readonly streams: number;
  stop(): void;
}

/**
 * @param hosts names and addresses in its certificate
 * @param file writes a file of a name, and returns its path
 */
export async function startNodeAgent(
  hosts: readonly string[],
  file: (name: string, text: string) => string,
): Promise<TestNodeAgent> {
  const [own, clients] = await Promise.all([
    createCertificateAuthority({ commonName: "nodes" }),
    createCertificateAuthority({ commonName: "cluster" }),
  ]);
  const { certPem, keyPem } = await issueServerCertificate(own, { commonName: "system:node:node-1", hosts });
  const client = await issueClientCertificate(clients, { commonName: "orch-apiserver-orchlet-client" });
  const options = { cert: certPem, key: keyPem, ca: clients.certPem, requestCert: true };
  const streams = new Set<Duplex>();
  const agent = https.createServer(options, (request, response) => {
    const { CN } = (request.socket as TLSSocket).getPeerCertificate().subject;
    response.end(`${request.url} for ${String(CN)}`);
  });
  agent.on("upgrade", (_, socket: Duplex) => {
    streams.add(socket);
    socket.on("error", () => undefined).once("close", () => streams.delete(socket));
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n");
    socket.pipe(socket);
  });
  agent.listen(0, "127.0.0.1");
  await once(agent, "listening");
  return {
    port: (agent.address() as AddressInfo).port,
    flags: [
      `--orchlet-certificate-authority=${file("nodes.crt", own.certPem)}`,
      `--orchlet-client-certificate=${file("client.crt", client.certPem)}`,
      `--orchlet-client-key=${file("client.key", client.keyPem)}`,
      "--orchlet-preferred-address-types=InternalDNS,InternalIP",
    ],
    get streams() {
      return streams.size;
    },
    stop: () => agent.close(),
  };
}
