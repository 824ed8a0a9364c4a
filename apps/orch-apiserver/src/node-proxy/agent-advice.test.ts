import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createCertificateAuthority, fixed, issueServerCertificate, parseCertificates } from "@orchernetes/tls";
import { expect, test } from "vitest";
import { createDestinationResolver } from "../dial/destination-resolver.ts";
import { adviceFor, withAdvice } from "./agent-advice.ts";
import { createNodeConnection } from "./node-connection.ts";

const destinations = createDestinationResolver({ isOwnListener: () => false, lookup: async () => ["127.0.0.1"] });

async function errorOf(port: number, caPem: string): Promise<unknown> {
  const nodes = createNodeConnection({
    client: fixed({ ca: { pem: caPem, certificates: parseCertificates(caPem, "ca") } }),
    preferredAddressTypes: ["InternalIP"],
    timeoutMs: 5000,
    destinations,
  });
  return nodes.connect({ host: "127.0.0.1", name: "127.0.0.1", port }).then(
    () => undefined,
    (error: unknown) => error,
  );
}

test("the errors of real connections are explained", async () => {
  const nodesCa = await createCertificateAuthority({ commonName: "nodes" });
  const other = await createCertificateAuthority({ commonName: "other" });
  const { certPem, keyPem } = await issueServerCertificate(nodesCa, { commonName: "n", hosts: ["10.9.9.9"] });
  const server = createServer({ cert: certPem, key: keyPem }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  expect(adviceFor(await errorOf(port, other.certPem))).toMatch(
    /no authority of --orchlet-certificate-authority signed/,
  );
  expect(adviceFor(await errorOf(port, nodesCa.certPem))).toMatch(/does not name this address.*--node-ip/);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  const refused = await errorOf(port, nodesCa.certPem);
  expect(withAdvice("error dialing backend: x", refused)).toMatch(
    /^error dialing backend: x; nothing listens there: start orchlet on the node/,
  );
});

test("a code may be that of a cause, or of the first of several addresses", () => {
  const refused = Object.assign(new Error("a"), { code: "ECONNREFUSED" });
  expect(adviceFor(new Error("b", { cause: refused }))).toMatch(/nothing listens/);
  expect(adviceFor(new AggregateError([refused]))).toMatch(/nothing listens/);
  expect(adviceFor(Object.assign(new Error("a"), { code: "ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR" }))).toMatch(
    /kubectl get csr/,
  );
  expect([adviceFor(new Error("c")), adviceFor("d"), withAdvice("m", undefined)]).toEqual([undefined, undefined, "m"]);
});
