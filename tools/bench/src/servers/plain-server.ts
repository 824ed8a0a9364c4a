/** A server of plain HTTP that answers every request with 1,200 bytes, as a pod would. Arguments: address, port. Prints `ready`. */
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";

/** Path of this program. */
export const plainServerFile = fileURLToPath(import.meta.url);

const [address, port] = process.argv.slice(2);
if (process.argv[1] === plainServerFile && address !== undefined) {
  const body = Buffer.alloc(1200, "x");
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/plain", "content-length": body.length });
    response.end(body);
  });
  server.listen({ host: address, port: Number(port), backlog: 4096 }, () => process.stdout.write("ready\n"));
}
