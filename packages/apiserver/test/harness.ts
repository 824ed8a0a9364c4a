import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { allowedPaths, privilegedGroups, type UserInfo } from "@orchernetes/auth";
import { silentLogger } from "@orchernetes/kernel";
import { openEmbeddedStore } from "@orchernetes/storage";
import { type ApiServer, type ApiServerOptions, createApiServer } from "../src/index.ts";
import { boxes, toys } from "./toy.ts";

const admin: UserInfo = { name: "admin", groups: ["system:masters"], extra: {} };

/** A server on a port of its own over an embedded store in a temporary folder. */
export interface TestServer {
  readonly url: string;
  readonly server: ApiServer;
  /** Calls as `admin` unless an authorization header says otherwise. */
  call(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  stop(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parsed JSON of any shape. */
  readonly body: ReturnType<typeof JSON.parse>;
}

/** Starts a server of toys. `Bearer NAME` is the user NAME; only `admin` may do anything. */
export async function startServer(options: Partial<ApiServerOptions> = {}): Promise<TestServer> {
  const directory = await mkdtemp(join(tmpdir(), "apiserver-test-"));
  const store = await openEmbeddedStore({ path: directory });
  const controller = new AbortController();
  const server = createApiServer({
    definitions: [toys, boxes] as unknown as readonly ResourceDefinition[],
    store,
    authenticators: [
      {
        authenticate: ({ headers }) => {
          const [scheme, name = ""] = (headers.authorization ?? "").split(" ");
          if (scheme !== "Bearer") return { type: "noOpinion" };
          if (name === "wrong") return { type: "rejected", reason: "the token is not known" };
          return { type: "authenticated", user: name === "admin" ? admin : { name, groups: [], extra: {} } };
        },
      },
    ],
    authorizers: [privilegedGroups("system:masters"), allowedPaths(["/version"])],
    version: { major: "1", minor: "27", gitVersion: "v1.27.0" },
    logger: silentLogger,
    signal: controller.signal,
    ...options,
  });
  await server.start();
  const http: Server = createServer((req, res) => server.handleRequest(req, res));
  http.on("upgrade", (req, socket, head) => server.handleUpgrade(req, socket, head));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return {
    url,
    server,
    call: async (method, path, body, headers = {}) => {
      const response = await fetch(url + path, {
        method,
        headers: {
          authorization: "Bearer admin",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined
          ? {}
          : { body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      let parsed: unknown;
      try {
        parsed = JSON.parse(text);
      } catch {
        parsed = undefined;
      }
      return { status: response.status, headers: response.headers, text, body: parsed };
    },
    stop: async () => {
      controller.abort();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
      await store.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
