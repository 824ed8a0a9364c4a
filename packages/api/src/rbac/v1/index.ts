export * from "./cluster-role.ts";
export * from "./cluster-role-binding.ts";
export * from "./resources.ts";
export * from "./role.ts";
export * from "./role-binding.ts";
export * from "./types/index.ts";
export { rbacGroup } from "./validation.ts";
