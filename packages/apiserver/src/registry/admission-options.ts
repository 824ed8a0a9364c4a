import type { AdmissionOperation } from "../interfaces/index.ts";

const KINDS: Readonly<Partial<Record<AdmissionOperation, string>>> = {
  CREATE: "CreateOptions",
  UPDATE: "UpdateOptions",
};

const NONE = Object.freeze({});

/**
 * The options of a write as admission sees them: their kind is that of the operation, whatever the verb. A patch updates, and an update
 * or patch of an object that does not exist creates it (upstream's updateToCreateOptions, patchToUpdateOptions). Connections have none.
 */
export function admissionOptions(
  operation: AdmissionOperation,
  options: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (operation === "CONNECT") return NONE;
  const kind = KINDS[operation];
  return kind === undefined || options.kind === undefined || options.kind === kind ? options : { ...options, kind };
}
