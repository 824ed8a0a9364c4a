import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { erase } from "../../meta/erase.ts";
import { events } from "./event.ts";

/** Resources of `events.o8s.io/v1`. */
export const eventsV1: readonly ResourceDefinition[] = [erase(events)];
