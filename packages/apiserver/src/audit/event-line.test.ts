import { expect, test } from "vitest";
import { type AuditEventFields, SharedTexts } from "./event-fields.ts";
import { eventLine } from "./event-line.ts";

const user = (name: string, extra = {}) => ({ name, uid: "", groups: ["g"], extra });
const alice = user("alice");
const users = [alice, user('b"ob'), undefined];
const reference = { resource: "pods", namespace: "default", name: "a", uid: "", apiGroup: "", apiVersion: "v1" };
const references = [
  { ...reference, resourceVersion: "", subresource: "" },
  { ...reference, name: 'q"\n', resourceVersion: "5", subresource: "log", apiGroup: "apps", uid: "u" },
  undefined,
];

const ofPath = new Map([
  ["/api", undefined],
  ['/api?q="\\é', references[0]],
]);

const dimensions = {
  level: ["Metadata", "RequestResponse"],
  stage: ["RequestReceived", "ResponseComplete"],
  requestUri: ["/api", '/api?q="\\é'],
  verb: ["get", "list", 'v"'],
  user: users,
  impersonatedUser: [undefined, alice],
  sourceIps: [["127.0.0.1"], ["10.0.0.1"], [], ["10.0.0.1", "127.0.0.1"]],
  userAgent: ["", "curl", 'a"gent'],
  objectRef: references,
  responseStatus: [undefined, { code: 200 }, { code: 201 }, { status: "Failure", message: "no", code: 404 }],
  requestObject: [undefined, '{"a":1}'],
  receivedAt: ["2026-01-01T00:00:00.000000Z", "2026-01-01T00:00:00.001000Z"],
  stageAt: ["2026-01-01T00:00:00.001000Z", "2026-01-01T00:00:00.002000Z"],
  decision: ["", "allow", "forbid"],
  reason: ["", 'RBAC: allowed by "x"', "no"],
  annotations: [undefined, new Map([["a/b", 'c"']])],
} as const;

/** An event with everything that is empty left out, as a plain object. */
function model(event: AuditEventFields): object {
  const { decision, reason, annotations, responseStatus, requestObject, user: by, impersonatedUser: as } = event;
  const person = ({ name: username, groups }: typeof alice) => ({ username, groups });
  const all = new Map(annotations);
  if (decision !== "") all.set("authorization.o8s.io/decision", decision);
  if (decision !== "" || reason !== "") all.set("authorization.o8s.io/reason", reason);
  const filled = Object.entries(event.objectRef ?? {}).filter(([, value]) => value !== "");
  return {
    ...{ kind: "Event", apiVersion: "audit.o8s.io/v1", level: event.level, auditID: event.auditId },
    ...{ stage: event.stage, requestURI: event.requestUri, verb: event.verb },
    user: by === undefined ? {} : person(by as typeof alice),
    ...(as !== undefined && { impersonatedUser: person(as as typeof alice) }),
    ...(event.sourceIps.length > 0 && { sourceIPs: event.sourceIps }),
    ...(event.userAgent !== "" && { userAgent: event.userAgent }),
    ...(event.objectRef !== undefined && { objectRef: Object.fromEntries(filled) }),
    ...(responseStatus !== undefined && { responseStatus: { metadata: {}, ...responseStatus } }),
    ...(requestObject !== undefined && { requestObject: JSON.parse(requestObject) }),
    ...{ requestReceivedTimestamp: event.receivedAt, stageTimestamp: event.stageAt },
    ...(all.size > 0 && { annotations: Object.fromEntries([...all].sort()) }),
  };
}

test("events that have parts in common with others, whose text is kept, have their own of everything else", () => {
  let seed = 7;
  const below = (limit: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((seed / 2 ** 31) * limit);
  };
  for (let n = 0; n < 5000; n++) {
    const picked = Object.entries(dimensions).map(([name, values]) => [name, values[below(values.length)]]);
    const fields = Object.fromEntries(picked) as Pick<AuditEventFields, "requestUri" | "objectRef">;
    const shared = new SharedTexts(ofPath.get(fields.requestUri));
    // Half of the requests name their objects by their paths, the others in their bodies.
    const objectRef = below(2) === 0 ? shared.pathReference : fields.objectRef;
    const event = { ...fields, auditId: String(n), shared, objectRef } as AuditEventFields;
    expect(JSON.parse(eventLine(event))).toEqual(model(event));
    // A later event of the same request, which another user makes and which has another object.
    const later = {
      ...event,
      stage: "Panic",
      impersonatedUser: users[below(2)],
      objectRef: references[below(3)],
    } as const;
    expect(JSON.parse(eventLine(later))).toEqual(model(later));
  }
});
