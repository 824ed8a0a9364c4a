/**
 * The minimal Node server: it answers every request over TLS with the same 1,200 bytes. Its rate is the limit of this machine. Arguments:
 * certificate file, key file. Prints its port.
 */
import { readFileSync } from "node:fs";
import { createSecureServer } from "node:http2";
import { fileURLToPath } from "node:url";

/** Path of this program. */
export const bareServerFile = fileURLToPath(import.meta.url);

const [certFile, keyFile] = process.argv.slice(2);
if (process.argv[1] === bareServerFile && certFile !== undefined && keyFile !== undefined) {
  const body = Buffer.from(JSON.stringify({ kind: "Pod", pad: "x".repeat(1170) }));
  const headers = { "content-type": "application/json", "content-length": body.length };
  const tls = { cert: readFileSync(certFile), key: readFileSync(keyFile), allowHTTP1: true };
  const server = createSecureServer(tls, (_, response) => {
    response.writeHead(200, headers);
    response.end(body);
  });
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (typeof address === "object" && address !== null) process.stdout.write(`${address.port}\n`);
  });
}
