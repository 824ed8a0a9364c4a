export { decodeMessage } from "./decode.ts";
export { encodeMessage } from "./encode.ts";
export * from "./envelope.ts";
export * from "./list.ts";
