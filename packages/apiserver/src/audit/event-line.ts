import type { AuditLevel } from "../interfaces/index.ts";
import { endJson } from "./end-json.ts";
import type { AuditEventFields } from "./event-fields.ts";
import type { AuditStage } from "./policy.ts";
import { requestJson } from "./request-json.ts";

/** What every event begins with. */
export const TYPE_META = '{"kind":"Event","apiVersion":"audit.o8s.io/v1",';

const startOf = (level: AuditLevel): string => `${TYPE_META}"level":"${level}","auditID":"`;
const starts: Readonly<Record<AuditLevel, string>> = {
  None: startOf("None"),
  Metadata: startOf("Metadata"),
  Request: startOf("Request"),
  RequestResponse: startOf("RequestResponse"),
};
const stages: Readonly<Record<AuditStage, string>> = {
  RequestReceived: '","stage":"RequestReceived","requestURI":',
  ResponseStarted: '","stage":"ResponseStarted","requestURI":',
  ResponseComplete: '","stage":"ResponseComplete","requestURI":',
  Panic: '","stage":"Panic","requestURI":',
};

/** An event as a line of JSON, with its line feed. */
export function eventLine(event: AuditEventFields): string {
  return starts[event.level] + event.auditId + stages[event.stage] + requestJson(event) + endJson(event);
}
