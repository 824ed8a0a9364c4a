/** @module A small API server over memory for tests of what uses the client. */
export * from "./fake-api-server.ts";
