/** @module */
export * from "./store.ts";
