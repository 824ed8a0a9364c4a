/** @module An in-memory API server for tests of code that uses the client. */
export * from "./fake-api-server.ts";
