export * from "./certificate-signing-request.ts";
