import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, type TestServer } from "./harness.ts";

const toys = "/apis/toys.example.com/v1/namespaces/ns/toys";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** A raw request: `opened` when the answer begins, `all` is everything until the server closes the connection. */
function raw(path: string, httpVersion: string): { readonly opened: Promise<void>; readonly all: Promise<string> } {
  const { hostname, port } = new URL(server.url);
  const opened = Promise.withResolvers<void>();
  const all = Promise.withResolvers<string>();
  const socket = connect(Number(port), hostname, () =>
    socket.write(
      `GET ${path} HTTP/${httpVersion}\r\nHost: x\r\nAuthorization: Bearer admin\r\nConnection: close\r\n\r\n`,
    ),
  );
  const pieces: Buffer[] = [];
  socket.on("data", (piece: Buffer) => {
    pieces.push(piece);
    opened.resolve();
  });
  socket.on("end", () => all.resolve(Buffer.concat(pieces).toString()));
  socket.on("error", all.reject);
  return { opened: opened.promise, all: all.promise };
}

/** The body of an answer in chunks; throws where the framing is wrong. */
function unchunk(body: string): string {
  let rest = body;
  let data = "";
  for (;;) {
    const line = /^([0-9a-f]+)\r\n/.exec(rest);
    if (line?.[1] === undefined) throw new Error(`no chunk at ${JSON.stringify(rest.slice(0, 80))}`);
    const size = Number.parseInt(line[1], 16);
    const from = line[0].length;
    if (rest.slice(from + size, from + size + 2) !== "\r\n") throw new Error(`a chunk of ${size} bytes does not end`);
    data += rest.slice(from, from + size);
    rest = rest.slice(from + size + 2);
    if (size === 0) return data;
  }
}

test.each([
  { httpVersion: "1.1", watchers: 100 },
  { httpVersion: "1.0", watchers: 3 },
])(
  "$watchers watchers on HTTP/$httpVersion each see all of it, in order and once",
  async ({ httpVersion, watchers }) => {
    const { body: start } = await server.call("GET", toys);
    const query = `watch=1&resourceVersion=${start.metadata.resourceVersion}&timeoutSeconds=5`;
    const selector = encodeURIComponent("mood=red");
    const answers = Array.from({ length: watchers }, (_, index) =>
      raw(`${toys}?${query}${index % 4 === 3 ? `&labelSelector=${selector}` : ""}`, httpVersion),
    );
    await Promise.all(answers.map(({ opened }) => opened));
    const names = Array.from({ length: 40 }, (_, index) => `v${httpVersion.replace(".", "-")}-${index}`);
    for (const [index, name] of names.entries()) {
      const labels = { mood: index % 3 === 0 ? "red" : "blue" };
      expect((await server.call("POST", toys, { metadata: { name, labels } })).status).toBe(201);
    }
    const bodies = (await Promise.all(answers.map(({ all }) => all))).map((answer) =>
      answer.slice(answer.indexOf("\r\n\r\n") + 4),
    );
    for (const [index, body] of bodies.entries()) {
      const lines = (httpVersion === "1.1" ? unchunk(body) : body).trim().split("\n");
      const seen = lines.map(
        (line) => (JSON.parse(line) as { object: { metadata: { name: string } } }).object.metadata.name,
      );
      expect(seen).toEqual(index % 4 === 3 ? names.filter((_, at) => at % 3 === 0) : names);
    }
  },
  60_000,
);
