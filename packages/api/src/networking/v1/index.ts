export * from "./ingress.ts";
export * from "./ingress-class.ts";
export * from "./network-policy.ts";
export * from "./resources.ts";
export * from "./types/index.ts";
