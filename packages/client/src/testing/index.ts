/**
 * An in-memory API server for tests of code that uses the client.
 *
 * @example
 * ```ts
 * import { createClient } from "@orchernetes/client";
 * import { startFakeApiServer } from "@orchernetes/client/testing";
 *
 * const server = await startFakeApiServer();
 * server.put("/api/v1/nodes", { metadata: { name: "node-a" } });
 * const client = createClient({ server: server.url });
 * await client.request({ method: "GET", path: "/api/v1/nodes/node-a" });
 * client.close();
 * await server.close();
 * ```
 *
 * @module
 */
export * from "./fake-api-server.ts";
