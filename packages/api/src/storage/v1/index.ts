export * from "./csi-driver.ts";
export * from "./csi-node.ts";
export * from "./csi-storage-capacity.ts";
export * from "./resources.ts";
export * from "./storage-class.ts";
export * from "./types/index.ts";
export * from "./volume-attachment.ts";
