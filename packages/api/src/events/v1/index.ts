import { resourceDefinitions } from "@orchernetes/apimachinery";
import { events } from "./event.ts";

export * from "./conversion.ts";
export { events } from "./event.ts";
export * from "./types.ts";

/** Resources of `events.o8s.io/v1`. */
export const eventsV1 = resourceDefinitions(events);
