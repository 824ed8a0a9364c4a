export * from "./cluster-trust-bundle.ts";
