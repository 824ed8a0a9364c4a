import type { UserInfo } from "@orchernetes/auth";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startServer, type TestServer } from "./harness.ts";

let server: TestServer;
const patcher: UserInfo = { name: "patcher", groups: ["patchers"], extra: {} };
const admin: UserInfo = { name: "admin", groups: ["system:masters"], extra: {} };
beforeAll(async () => {
  server = await startServer({
    authenticators: [
      {
        authenticate: ({ headers }) => ({
          type: "authenticated",
          user: headers.authorization === "Bearer patcher" ? patcher : admin,
        }),
      },
    ],
    authorizers: [
      {
        authorize: ({ user, verb }) =>
          user.name === "admin" || verb === "patch" ? { type: "Allow" } : { type: "NoOpinion" },
      },
    ],
  });
});
afterAll(() => server.stop());

const toys = "/apis/toys.example.com/v1/namespaces/default/toys";
const yaml = { "content-type": "application/apply-patch+yaml" };
const merge = { "content-type": "application/merge-patch+json" };
const toy = (name: string, rest: object = {}) => ({
  apiVersion: "toys.example.com/v1",
  kind: "Toy",
  metadata: { name },
  ...rest,
});
const apply = (name: string, manager: string, rest: object, query = "") =>
  server.call("PATCH", `${toys}/${name}?fieldManager=${manager}${query}`, toy(name, rest), yaml);

/** Owners as `manager operation subresource: fields`, in the order served. */
function owners(body: { metadata: { managedFields?: readonly Record<string, unknown>[] } }): readonly string[] {
  return (body.metadata.managedFields ?? []).map(
    ({ manager, operation, subresource, fieldsV1 }) =>
      `${manager} ${operation}${subresource === undefined ? "" : ` ${subresource}`}: ${JSON.stringify(fieldsV1)}`,
  );
}

describe("ownership by other writes than apply", () => {
  test.each([
    ["the query", "?fieldManager=alice", "tool/1", "alice"],
    ["the user agent", "", "tool/v1.2 (linux)", "tool"],
    ["a user agent without a slash", "", "curl", "curl"],
    ["a long user agent", "", `${"x".repeat(200)}/1`, "x".repeat(128)],
    ["nothing", "", "", "unknown"],
  ])("the manager comes from %s", async (name, query, agent, want) => {
    const metadata = { name: `who-${name.replaceAll(" ", "-")}` };
    const made = await server.call("POST", toys + query, toy("", { metadata, spec: { size: 1 } }), {
      "user-agent": agent,
    });
    expect(owners(made.body)).toEqual([`${want} Update: {"f:spec":{"f:color":{},"f:size":{}}}`]);
  });

  test("status and scale have managers of their own, and writes that change nothing keep the times", async () => {
    await server.call("POST", `${toys}?fieldManager=maker`, toy("parts", { spec: { size: 1 } }));
    const status = { status: { phase: "new" }, spec: { size: 7 } };
    await server.call("PATCH", `${toys}/parts/status?fieldManager=watcher`, status, merge);
    await server.call("PATCH", `${toys}/parts/scale?fieldManager=scaler`, { spec: { replicas: 4 } }, merge);
    const ignored = await server.call("PATCH", `${toys}/parts?fieldManager=other`, { status: { phase: "x" } }, merge);
    expect([...owners(ignored.body)].sort()).toEqual([
      'maker Update: {"f:spec":{"f:color":{}}}',
      'scaler Update scale: {"f:spec":{"f:size":{}}}',
      'watcher Update status: {"f:status":{"f:phase":{}}}',
    ]);
    expect(ignored.body.spec.size).toBe(4);
  });

  test.each([
    ["an empty list", []],
    ["one empty entry", [{}]],
  ])("%s forgets ownership, which later writes do not bring back", async (_name, managedFields) => {
    const name = `reset-${managedFields.length}`;
    await server.call("POST", toys, toy(name));
    const reset = await server.call("PATCH", `${toys}/${name}`, { metadata: { managedFields } }, merge);
    expect(owners(reset.body)).toEqual([]);
    const later = await server.call("PATCH", `${toys}/${name}`, { spec: { size: 3 } }, merge);
    expect(owners(later.body)).toEqual([]);
    const applied = await apply(name, "one", { spec: { size: 3 } });
    expect(owners(applied.body)).toEqual([
      'one Apply: {"f:spec":{"f:size":{}}}',
      'before-first-apply Update: {"f:spec":{"f:color":{},"f:size":{}}}',
    ]);
  });
});

describe("apply", () => {
  test("an apply creates, changes and removes fields, and a repeated one changes nothing", async () => {
    const made = await apply("life", "one", { spec: { size: 1, labels: { a: "1", b: "2" } } });
    expect(made.status).toBe(201);
    expect(made.body.spec).toEqual({ color: "red", size: 1, labels: { a: "1", b: "2" } });
    const again = await apply("life", "one", { spec: { size: 1, labels: { a: "1", b: "2" } } });
    expect(again.status).toBe(200);
    expect(again.body.metadata.resourceVersion).toBe(made.body.metadata.resourceVersion);
    const shared = await apply("life", "two", { spec: { labels: { a: "1" } } });
    expect(shared.body.metadata.resourceVersion).not.toBe(made.body.metadata.resourceVersion);
    const less = await apply("life", "one", { spec: { size: 1 } });
    expect(less.body.spec).toEqual({ color: "red", size: 1, labels: { a: "1" } });
    expect(owners(less.body)).toEqual([
      'one Apply: {"f:spec":{"f:size":{}}}',
      'two Apply: {"f:spec":{"f:labels":{"f:a":{}}}}',
    ]);
  });

  test("a conflict names manager and fields, and force resolves it", async () => {
    await apply("fight", "one", { spec: { size: 1 } });
    const refused = await apply("fight", "two", { spec: { size: 2 } });
    expect(refused.body).toMatchObject({
      code: 409,
      reason: "Conflict",
      message: 'Apply failed with 1 conflict: conflict with "one": .spec.size',
      details: { causes: [{ reason: "FieldManagerConflict", message: 'conflict with "one"', field: ".spec.size" }] },
    });
    const forced = await apply("fight", "two", { spec: { size: 2 } }, "&force=true");
    expect(owners(forced.body)).toEqual(['two Apply: {"f:spec":{"f:size":{}}}']);
  });

  test("an apply to status and to scale", async () => {
    await apply("subs", "one", { spec: { size: 1 } });
    const status = await server.call(
      "PATCH",
      `${toys}/subs/status?fieldManager=s`,
      toy("subs", { status: { phase: "up" }, spec: { size: 9 } }),
      yaml,
    );
    expect(status.body).toMatchObject({ spec: { size: 1 }, status: { phase: "up" } });
    const scale = (replicas: number, query = "") =>
      server.call(
        "PATCH",
        `${toys}/subs/scale?fieldManager=s${query}`,
        { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "subs" }, spec: { replicas } },
        yaml,
      );
    expect((await scale(5)).body.message).toBe('Apply failed with 1 conflict: conflict with "one": .spec.size');
    expect((await scale(5, "&force=true")).body).toMatchObject({ kind: "Scale", spec: { replicas: 5 } });
    const { body } = await server.call("GET", `${toys}/subs`);
    expect([...owners(body)].sort()).toEqual([
      's Apply scale: {"f:spec":{"f:size":{}}}',
      's Apply status: {"f:status":{"f:phase":{}}}',
    ]);
  });

  test("dry run stores nothing", async () => {
    expect((await apply("dry", "one", { spec: { size: 1 } }, "&dryRun=All")).status).toBe(201);
    expect((await server.call("GET", `${toys}/dry`)).status).toBe(404);
  });

  test("an apply that creates needs the permission to create", async () => {
    const call = (name: string) =>
      server.call("PATCH", `${toys}/${name}?fieldManager=p`, toy(name), { ...yaml, authorization: "Bearer patcher" });
    await apply("theirs", "one", {});
    expect((await call("theirs")).status).toBe(200);
    const refused = await call("mine");
    expect(refused.status).toBe(403);
    expect(refused.body.message).toContain('cannot create resource "toys"');
  });

  test.each([
    ["no manager", "", toy("bad"), 422, 'PatchOptions.meta.o8s.io "" is invalid: fieldManager: Required value'],
    ["another kind", "m", { ...toy("bad"), kind: "Box" }, 400, "invalid object type: toys.example.com/v1, Kind=Box"],
    ["no kind", "m", {}, 400, "invalid object type: /, Kind="],
    ["no object", "m", "[1]", 400, "error decoding YAML"],
    ["text", "m", "just text", 400, "error decoding YAML"],
    ["bad YAML", "m", "a: [", 400, "error decoding YAML"],
    ["another name", "m", toy("other"), 400, "does not match the name on the URL (bad)"],
    [
      "managers",
      "m",
      toy("bad", { metadata: { name: "bad", managedFields: [] } }),
      400,
      "metadata.managedFields must be nil",
    ],
    ["an unknown field", "m", toy("bad", { spec: { nope: 1 } }), 400, ".spec.nope: field not declared in schema"],
    [
      "a hostile field",
      "m",
      '{"apiVersion":"toys.example.com/v1","kind":"Toy","metadata":{"name":"bad"},"spec":{"__proto__":{"size":1}}}',
      400,
      ".spec.__proto__: field not declared in schema",
    ],
    ["a wrong type", "m", toy("bad", { spec: { size: "x" } }), 400, ".spec.size: expected numeric (int or float), got"],
    [
      "a version of nothing",
      "m",
      toy("bad", { metadata: { name: "bad", resourceVersion: "5" } }),
      409,
      "the object has been modified",
    ],
    ["an invalid value", "m", toy("bad", { spec: { size: -1 } }), 422, "must be greater than or equal to 0"],
  ])("%s is refused", async (_name, manager, body, status, message) => {
    const answer = await server.call("PATCH", `${toys}/bad?fieldManager=${manager}`, body, yaml);
    expect(answer.body.message).toContain(message);
    expect(answer.status).toBe(status);
  });

  test("force is for applies only, and a resourceVersion in the patch is a precondition", async () => {
    const forced = await server.call("PATCH", `${toys}/x?force=true`, {}, merge);
    expect(forced.status).toBe(422);
    expect(forced.body.message).toContain("force: Forbidden: may not be specified for non-apply patch");
    await apply("versioned", "one", {});
    const stale = await apply("versioned", "one", { metadata: { name: "versioned", resourceVersion: "1" } });
    expect(stale.status).toBe(409);
  });
});
