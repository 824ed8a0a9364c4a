export * from "./cluster-role.ts";
export * from "./cluster-role-binding.ts";
export * from "./common.ts";
export * from "./role.ts";
export * from "./role-binding.ts";
