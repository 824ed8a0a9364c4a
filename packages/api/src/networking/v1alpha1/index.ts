export * from "./cluster-cidr.ts";
export * from "./ip-address.ts";
export * from "./resources.ts";
export * from "./types/index.ts";
