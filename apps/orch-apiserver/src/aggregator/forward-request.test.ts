import { once } from "node:events";
import { createServer, request } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { createCertificateAuthority, issueServerCertificate } from "@orchernetes/tls";
import { expect, onTestFinished, test } from "vitest";
import { fetchDocument } from "./extension-request.ts";
import { forwardRequest } from "./forward-request.ts";

const switching = "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n";

/** A server that answers every connection with the same bytes. */
async function startExtension(answer: string) {
  const authority = await createCertificateAuthority({ commonName: "serving" });
  const { certPem, keyPem } = await issueServerCertificate(authority, { commonName: "x", hosts: ["127.0.0.1"] });
  const server = createTlsServer({ cert: certPem, key: keyPem }, (socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.write(answer));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return {
    address: { host: "127.0.0.1", port: (server.address() as AddressInfo).port },
    agent: new https.Agent({ ca: authority.certPem }),
    path: "/",
    headers: {},
    signal: new AbortController().signal,
  };
}

test("an extension server that switches protocols unasked is an error, not a request without end", async () => {
  const extension = await startExtension(switching);
  const front = createServer((req, res) => {
    forwardRequest(req, res, { ...extension, rejectRedirects: true }).catch((error: Error) => {
      res.statusCode = 503;
      res.end(error.message);
    });
  }).listen(0, "127.0.0.1");
  await once(front, "listening");
  onTestFinished(() => void front.close());
  const outgoing = request({ host: "127.0.0.1", port: (front.address() as AddressInfo).port, agent: false }).end();
  const [response] = await once(outgoing, "response");
  expect(response.statusCode).toBe(503);
  response.resume();
  const limits = { timeoutMs: 20_000, maxBytes: 1000 };
  await expect(fetchDocument(extension, limits)).rejects.toThrow(/switched protocols/);
});
