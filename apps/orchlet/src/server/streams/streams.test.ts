import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { alwaysAllow } from "@orchernetes/auth";
import { CriError, type GrpcCode } from "@orchernetes/cri";
import { silentLogger } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { HttpError } from "../requests/http-error.ts";
import { createUpgradeListener, type StreamOptions } from "./streams.ts";

/** What a client reads whose request for a command in a container fails. */
async function rejectionOf(failure: Error, query = "command=id&output=1"): Promise<string> {
  const options = {
    access: { authenticators: [], authorizers: [alwaysAllow], logger: silentLogger },
    measured: (handler: unknown) => handler,
    lookup: {
      pod: () => ({ identity: {}, pod: undefined }),
      async runningContainer() {
        if (failure instanceof HttpError) throw failure;
        return { id: "1" };
      },
    },
    cri: {
      runtime: {
        async exec() {
          throw failure;
        },
      },
    },
    enabled: true,
    idleMs: 0,
  } as unknown as StreamOptions;
  const server = createServer().on("upgrade", createUpgradeListener(options)).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.write(`GET /exec/ns/p/c?${query} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: SPDY/3.1\r\n\r\n`);
    return await text(socket);
  } finally {
    server.close();
  }
}

const cri = (code: GrpcCode, details: string) => new CriError("Exec", code, details);

test.each<[string, Error, number, string, string?]>([
  ["a container that does not run", new HttpError(500, 'container not found ("c")'), 500, 'container not found ("c")'],
  [
    "a container that the runtime does not have",
    cri("NotFound", "no such container"),
    404,
    "rpc error: code = NotFound desc = no such container",
  ],
  [
    "a container that has ended since",
    cri("Unknown", "container is in CONTAINER_EXITED state"),
    500,
    "rpc error: code = Unknown desc = container is in CONTAINER_EXITED state",
  ],
  [
    "a runtime with too many sessions",
    cri("ResourceExhausted", "maximum number of in-flight requests exceeded"),
    429,
    "rpc error: code = ResourceExhausted desc = maximum number of in-flight requests exceeded",
  ],
  [
    "a request without streams",
    cri("Unknown", "not asked"),
    400,
    "you must specify at least 1 of stdin, stdout, stderr",
    "command=id",
  ],
])("a command is rejected with plain text: %s", async (_, failure, status, message, query) => {
  const answer = await rejectionOf(failure, query);
  const [head = "", body] = answer.split("\r\n\r\n");
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(head.toLowerCase()).toContain("content-type: text/plain");
  expect(/retry-after: 60/i.test(head)).toBe(status === 429);
  expect(body).toBe(message);
});
