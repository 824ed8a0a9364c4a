import { AuditEvent, type AuditEventFields, SharedTexts } from "@orchernetes/apiserver";

/** Creates an event for tests. */
export function testEvent(fields: Partial<AuditEventFields> = {}): AuditEvent {
  return new AuditEvent({
    shared: new SharedTexts(undefined),
    level: "Metadata",
    auditId: "id-1",
    stage: "ResponseComplete",
    requestUri: "/api/v1/namespaces/a/pods/x",
    verb: "get",
    user: { name: "alice", groups: ["dev", "ops"], extra: {} },
    impersonatedUser: undefined,
    sourceIps: ["10.0.0.1"],
    userAgent: "curl",
    objectRef: undefined,
    responseStatus: { code: 200 },
    requestObject: undefined,
    responseObject: undefined,
    receivedAt: "2023-06-01T00:00:00.000000Z",
    stageAt: "2023-06-01T00:00:00.001000Z",
    decision: "",
    reason: "",
    annotations: undefined,
    ...fields,
  });
}
