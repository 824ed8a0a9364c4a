import type { UserInfo } from "@orchernetes/auth";
import type { HttpRequest } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { parseRequestInfo } from "../http/request-info.ts";
import type { AuditLevel } from "../interfaces/index.ts";
import { AuditAnnotations } from "./annotations.ts";
import type { AuditEvent } from "./event.ts";
import { AuditPolicyEvaluator, type AuditRule } from "./policy.ts";
import { createPolicyRecorder } from "./policy-recorder.ts";
import type { AuditedRequest } from "./recorder.ts";

const alice: UserInfo = { name: "alice", uid: "u1", groups: ["dev"], extra: { scopes: ["a"] } };
const path = "/apis/apps/v1/namespaces/a/deployments/d/status?dryRun=All";

function recording(
  level: AuditLevel,
  request: Partial<AuditedRequest> = {},
  sink: (event: AuditEvent) => boolean = () => true,
) {
  const events: AuditEvent[] = [];
  const counted: string[] = [];
  let nowMs = Date.parse("2023-06-01T00:00:00.250Z");
  const rule: AuditRule = {
    level,
    users: [],
    userGroups: [],
    verbs: [],
    resources: [],
    namespaces: [],
    nonResourceURLs: [],
    omitStages: [],
  };
  const recorder = createPolicyRecorder({
    policy: new AuditPolicyEvaluator({ rules: [rule], omitStages: [], omitManagedFields: true }),
    sink: {
      process(event) {
        events.push(event);
        return sink(event);
      },
    },
    holdsAnswers: false,
    counts: {
      event: () => void counted.push("event"),
      level: (of) => void counted.push(of),
      rejected: () => void counted.push("rejected"),
    },
    clock: { nowMs: () => nowMs },
  });
  const state: AuditedRequest = {
    req: {
      method: "PUT",
      url: path,
      headers: { "user-agent": "kubectl/v1.27" },
      socket: { remoteAddress: "10.0.0.1" },
    } as unknown as HttpRequest,
    info: parseRequestInfo("PUT", path),
    auditId: "id-1",
    startedMs: Date.parse("2023-06-01T00:00:00Z"),
    longRunning: false,
    user: alice,
    impersonatedBy: undefined,
    decision: "allow",
    reason: 'RBAC: allowed by "x"',
    annotations: undefined,
    ...request,
  };
  const at = (ms: number) => {
    nowMs = ms;
  };
  const parsed = () => events.map(({ json }): unknown => JSON.parse(json));
  return { recorder, state, events, counted, at, parsed };
}

const deployment = {
  kind: "Deployment",
  metadata: { name: "d", namespace: "a", uid: "u-1", resourceVersion: "5", managedFields: [{ manager: "m" }] },
};

test("an event has the fields of audit.o8s.io/v1, in their order", () => {
  const { recorder, state, parsed, events } = recording("RequestResponse");
  const audit = recorder.begin(state);
  audit?.received();
  audit?.requestObject(deployment);
  audit?.responseObject(deployment);
  audit?.completed(200);
  const [received, completed] = parsed();
  const shared = {
    kind: "Event",
    apiVersion: "audit.o8s.io/v1",
    level: "RequestResponse",
    auditID: "id-1",
    requestURI: path,
    verb: "update",
    user: { username: "alice", uid: "u1", groups: ["dev"], extra: { scopes: ["a"] } },
    sourceIPs: ["10.0.0.1"],
    userAgent: "kubectl/v1.27",
    requestReceivedTimestamp: "2023-06-01T00:00:00.000000Z",
    annotations: {
      "authorization.o8s.io/decision": "allow",
      "authorization.o8s.io/reason": 'RBAC: allowed by "x"',
    },
  };
  const objectRef = {
    resource: "deployments",
    namespace: "a",
    name: "d",
    apiGroup: "apps",
    apiVersion: "v1",
    subresource: "status",
  };
  expect(received).toEqual({
    ...shared,
    stage: "RequestReceived",
    objectRef,
    stageTimestamp: "2023-06-01T00:00:00.000000Z",
  });
  const { managedFields: _owners, ...metadata } = deployment.metadata;
  expect(completed).toEqual({
    ...shared,
    stage: "ResponseComplete",
    objectRef: { ...objectRef, uid: "u-1", resourceVersion: "5" },
    responseStatus: { metadata: {}, code: 200 },
    requestObject: { kind: "Deployment", metadata },
    responseObject: { kind: "Deployment", metadata },
    stageTimestamp: "2023-06-01T00:00:00.250000Z",
  });
  expect(Object.keys(JSON.parse(events[1]?.json ?? "{}"))).toEqual(
    (
      "kind apiVersion level auditID stage requestURI verb user sourceIPs userAgent objectRef responseStatus " +
      "requestObject responseObject requestReceivedTimestamp stageTimestamp annotations"
    ).split(" "),
  );
  const item = JSON.parse(events[1]?.itemJson ?? "{}");
  expect({ kind: "Event", apiVersion: "audit.o8s.io/v1", ...item }).toEqual(completed);
});

const failure = {
  kind: "Status",
  status: "Failure",
  message: "no",
  reason: "NotFound",
  details: { name: "d" },
  code: 404,
};
const recordedFailure = {
  metadata: {},
  status: "Failure",
  message: "no",
  reason: "NotFound",
  details: { name: "d" },
  code: 404,
};

test.each<[AuditLevel, readonly string[]]>([
  ["Metadata", []],
  ["Request", ["requestObject"]],
  ["RequestResponse", ["requestObject", "responseObject"]],
])("level %s has %j", (level, want) => {
  const { recorder, state, parsed } = recording(level);
  const audit = recorder.begin(state);
  audit?.requestPatch([{ op: "remove", path: "/x" }]);
  audit?.responseObject(failure);
  audit?.completed(404);
  const [event] = parsed() as [Record<string, unknown>];
  expect(["requestObject", "responseObject"].filter((key) => key in event)).toEqual(want);
  expect(event.responseStatus).toEqual(recordedFailure);
});

test("level None records nothing and is counted", () => {
  const { recorder, state, counted } = recording("None");
  expect(recorder.begin(state)).toBeUndefined();
  expect(counted).toEqual(["None"]);
});

test("a long-running request is recorded when it starts, also if it fails or nothing was sent", () => {
  const stagesOf = (use: (audit: ReturnType<ReturnType<typeof recording>["recorder"]["begin"]>) => void) => {
    const { recorder, state, parsed } = recording("RequestResponse", { longRunning: true });
    use(recorder.begin(state));
    return (parsed() as { stage: string; responseStatus: { code: number }; responseObject?: object }[]).map(
      ({ stage, responseStatus: { code }, responseObject }) => [stage, code, responseObject !== undefined],
    );
  };
  expect(
    stagesOf((audit) => {
      audit?.responseStarted(200);
      audit?.completed(200);
    }),
  ).toEqual([
    ["ResponseStarted", 200, false],
    ["ResponseComplete", 200, false],
  ]);
  expect(
    stagesOf((audit) => {
      audit?.responseObject(failure);
      audit?.completed(404);
    }),
  ).toEqual([
    ["ResponseStarted", 404, true],
    ["ResponseComplete", 404, true],
  ]);
  expect(stagesOf((audit) => void audit?.completed(0))).toEqual([
    ["ResponseStarted", 200, false],
    ["ResponseComplete", 200, false],
  ]);
});

test("the duration of a slow request is recorded, that of a long-running one is not", () => {
  const timeOf = (longRunning: boolean, afterMs: number) => {
    const { recorder, state, at, parsed } = recording("Metadata", { longRunning, annotations: new AuditAnnotations() });
    const audit = recorder.begin(state);
    at(state.startedMs + afterMs);
    audit?.completed(200);
    const [{ annotations }] = parsed().slice(-1) as [{ annotations: Record<string, string> }];
    return annotations["apiserver.latency.o8s.io/total"];
  };
  expect([timeOf(false, 1250), timeOf(false, 500), timeOf(true, 1250)]).toEqual(["1.25s", undefined, undefined]);
});

test("the time that webhooks took of a slow request is recorded", () => {
  const webhookTimes = { mutatingMs: 800, validatingMs: 0 };
  const { recorder, state, at, parsed } = recording("Metadata", { webhookTimes, annotations: new AuditAnnotations() });
  const audit = recorder.begin(state);
  at(state.startedMs + 900);
  audit?.completed(200);
  const [{ annotations }] = parsed().slice(-1) as [{ annotations: Record<string, string> }];
  expect(annotations).toMatchObject({
    "apiserver.latency.o8s.io/total": "900ms",
    "apiserver.latency.o8s.io/mutating-webhook": "800ms",
  });
  expect(annotations).not.toHaveProperty(["apiserver.latency.o8s.io/validating-webhook"]);
});

test("an unauthenticated client has one record, without a user, at the start of the response", () => {
  const { recorder, state, parsed } = recording("Metadata", { decision: "", reason: "" });
  const audit = recorder.beginUnauthenticated(state);
  audit?.responseObject({
    kind: "Status",
    status: "Failure",
    message: "Unauthorized",
    reason: "Unauthorized",
    code: 401,
  });
  audit?.completed(401);
  expect(parsed()).toEqual([
    expect.objectContaining({
      stage: "ResponseStarted",
      user: {},
      responseStatus: { metadata: {}, status: "Failure", message: "Unauthorized", reason: "Unauthorized", code: 401 },
    }),
  ]);
  expect(parsed()[0]).not.toHaveProperty("annotations");
});

test("an unexpected error is recorded as stage Panic", () => {
  const { recorder, state, parsed } = recording("Metadata");
  const audit = recorder.begin(state);
  audit?.panicked(new Error("boom"));
  audit?.responseObject({ kind: "Status", status: "Failure", message: "Internal error", code: 500 });
  audit?.completed(500);
  expect(parsed()).toEqual([
    expect.objectContaining({
      stage: "Panic",
      responseStatus: {
        metadata: {},
        status: "Failure",
        message: "APIServer panic'd: boom",
        reason: "InternalError",
        code: 500,
      },
    }),
  ]);
});

test("an impersonated user is recorded beside the one who sent the request", () => {
  const bob: UserInfo = { name: "bob", groups: [], extra: {} };
  const { recorder, state, parsed } = recording("Metadata");
  const acting = { ...state };
  const audit = recorder.begin(acting);
  Object.assign(acting, { user: bob, impersonatedBy: alice });
  audit?.completed(200);
  expect(parsed()[0]).toMatchObject({ user: { username: "alice" }, impersonatedUser: { username: "bob" } });
});

test.each<[AuditLevel, readonly string[]]>([
  ["Metadata", ["a.example/1"]],
  ["Request", ["a.example/1", "b.example/2"]],
])("annotations of a higher level are left out of %s", (level, want) => {
  const annotations = new AuditAnnotations();
  annotations.set("a.example/1", "x");
  annotations.set("a.example/1", "first stays");
  annotations.set("b.example/2", "y", "Request");
  const { recorder, state, parsed } = recording(level, { annotations, decision: "", reason: "" });
  recorder.begin(state)?.completed(200);
  const [{ annotations: found }] = parsed() as [{ annotations: Record<string, string> }];
  expect([Object.keys(found), found["a.example/1"]]).toEqual([want, "x"]);
});

test("a request whose first record is lost is rejected, and has no further records", () => {
  const { recorder, state, events, counted } = recording("Metadata", {}, () => false);
  const audit = recorder.begin(state);
  expect(() => audit?.received()).toThrow("failed to store audit event");
  audit?.completed(500);
  expect(events).toHaveLength(1);
  expect(counted).toEqual(["Metadata", "event", "rejected"]);
});
