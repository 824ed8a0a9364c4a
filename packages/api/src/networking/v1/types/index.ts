export * from "./ingress.ts";
export * from "./ingress-class.ts";
export * from "./network-policy.ts";
