import { type FieldError, field, isDns1123Subdomain, isQualifiedName, type Path } from "@orchernetes/apimachinery";
import type { Event } from "../types/event.ts";

const maxLength = 128;
const maxMessage = 1024;
/** Namespaces in which events about cluster-scoped objects are stored. */
const homes: readonly string[] = ["", "default", "orch-system"];

/** Names of the fields in the version of the request, so that errors name them as the client does. */
export interface EventNames {
  readonly object: "involvedObject" | "regarding";
  readonly controller: "reportingController";
  readonly message: "message" | "note";
}

const coreNames: EventNames = {
  object: "involvedObject",
  controller: "reportingController",
  message: "message",
};
export const eventsNames: EventNames = { object: "regarding", controller: "reportingController", message: "note" };

/** Validates a stored event. Events with `eventTime` are of events.o8s.io, which requires more (KEP-383). */
export function validateEvent(event: Event, names: EventNames = coreNames): FieldError[] {
  return event.eventTime ? validateNewEvent(event, names) : validateLegacyEvent(event, names);
}

/**
 * Validates an event of the older kind, which has a count and a first and last time. Its namespace must be that of its
 * object.
 */
export function validateLegacyEvent({ metadata, involvedObject }: Event, names: EventNames = coreNames): FieldError[] {
  const errors: FieldError[] = [];
  const home = metadata.namespace ?? "";
  const namespace = involvedObject.namespace ?? "";
  if (namespace === "" ? home !== "" && home !== "default" : namespace !== home) {
    const detail = "does not match event.namespace";
    errors.push(field.invalid(`${names.object}.namespace`, namespace, detail));
  }
  for (const message of isDns1123Subdomain(home)) {
    errors.push(field.invalid("namespace", home, message));
  }
  return errors;
}

/**
 * Validates an event of the newer kind: reporter, action and reason are required and short, as they become labels of
 * metrics.
 */
function validateNewEvent(event: Event, names: EventNames): FieldError[] {
  const errors: FieldError[] = [];
  const home = event.metadata.namespace ?? "";
  const namespace = event.involvedObject.namespace ?? "";
  if (namespace === "" ? !homes.includes(home) : namespace !== home) {
    errors.push(field.invalid(`${names.object}.namespace`, namespace, "does not match event.namespace"));
  }
  const controller = event.reportingComponent ?? "";
  if (controller === "") {
    errors.push(field.required(names.controller));
  }
  errors.push(...isQualifiedName(controller).map((message) => field.invalid(names.controller, controller, message)));
  requireShort(event.reportingInstance, "reportingInstance", errors);
  requireShort(event.action, "action", errors);
  requireShort(event.reason, "reason", errors);
  if (Buffer.byteLength(event.message ?? "") > maxMessage) {
    errors.push(field.invalid(names.message, "", `can have at most ${maxMessage} characters`));
  }
  return errors;
}

function requireShort(text: string | undefined, path: Path, errors: FieldError[]): void {
  if (!text) {
    errors.push(field.required(path));
  } else if (Buffer.byteLength(text) > maxLength) {
    errors.push(field.invalid(path, "", `can have at most ${maxLength} characters`));
  }
}
