export * from "./certificate-signing-request.ts";
export * from "./resources.ts";
export * from "./types/index.ts";
