export * from "./conversion.ts";
export { events } from "./event.ts";
export { eventsV1 } from "./resources.ts";
export * from "./types/index.ts";
