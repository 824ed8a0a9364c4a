import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:tls";
import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";

let server: TestApiServer;
beforeAll(async () => {
  server = await startApiServer({
    flags: [
      "--cors-allowed-origins=^https://app\\.example$",
      "--strict-transport-security-directives=max-age=31536000,includeSubDomains",
      "--goaway-chance=0.02",
    ],
  });
}, 30_000);
afterAll(() => server.stop());

/** Sends raw text, gives the raw answer. */
async function raw(text: string): Promise<string> {
  const socket = connect({
    port: server.port,
    host: "127.0.0.1",
    ca: readFileSync(server.caFile),
    servername: "localhost",
  });
  socket.on("error", () => {});
  await once(socket, "secureConnect");
  socket.write(text);
  let answer = "";
  for await (const chunk of socket) answer += chunk;
  return answer;
}

const head = (line: string, ...headers: string[]) =>
  [`${line} HTTP/1.1`, "host: a", "connection: close", ...headers, "", ""].join("\r\n");

test.each([
  ["allowed", "https://app.example", "HTTP/1.1 204", "access-control-allow-origin: https://app.example"],
  ["any other", "https://app.example.org", "HTTP/1.1 4", undefined],
])("a preflight of %s origin, without credentials", async (_name, origin, status, header) => {
  const answer = await raw(head("OPTIONS /api/v1/pods", `origin: ${origin}`, "access-control-request-method: GET"));
  expect(answer).toContain(status);
  expect(/access-control-allow-origin: \S+/i.exec(answer)?.[0].toLowerCase()).toBe(header);
});

test("every answer carries the HSTS header, refusals too", async () => {
  for (const path of ["/livez", "/api/v1/pods"]) {
    expect((await raw(head(`GET ${path}`))).toLowerCase()).toContain(
      "strict-transport-security: max-age=31536000; includesubdomains",
    );
  }
});

test.each([
  ["an unknown method", head("NOPE /"), "HTTP/1.1 405", "MethodNotAllowed"],
  ["no HTTP at all", "GET / FTP/9\r\n\r\n", "HTTP/1.1 400", "BadRequest"],
  ["header fields beyond the limit", head("GET /livez", `x: ${"y".repeat(70_000)}`), "HTTP/1.1 431", "Status"],
])("%s is refused with a Status", async (_name, text, status, want) => {
  const answer = await raw(text);
  expect(answer.split("\r\n")[0]).toContain(status);
  expect(answer).toContain(want);
});

test("the self-signed certificate names the advertised address and the service, and no other address of the machine", () => {
  const { subjectAltName } = new X509Certificate(readFileSync(server.caFile));
  expect(subjectAltName?.split(", ").sort()).toEqual([
    "DNS:localhost",
    "DNS:orchernetes",
    "DNS:orchernetes.default",
    "DNS:orchernetes.default.svc",
    "IP Address:10.0.0.1",
    "IP Address:127.0.0.1",
  ]);
});

test("a token of 40 kB is read", async () => {
  expect(await raw(head("GET /livez", `authorization: Bearer ${"y".repeat(40_000)}`))).toContain("HTTP/1.1 401");
});
