export * from "./cluster-cidr.ts";
export * from "./ip-address.ts";
