export * from "./lease.ts";
