import { DeleteOptions, encodeProtobuf, protobufMediaType, yamlLibrary } from "@orchernetes/apimachinery";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startServer, type TestServer } from "./harness.ts";

let server: TestServer;
const toys = "/apis/toys.example.com/v1/namespaces/ns/toys";
const boxes = "/apis/toys.example.com/v1/boxes";

describe.each([
  ["with the watch cache", true],
  ["without it", false],
])("%s", (_, cached) => {
  beforeAll(async () => {
    server = await startServer({ watchCache: () => cached });
  });
  afterAll(() => server.stop());

  const toy = (name: string, more: object = {}) => ({ metadata: { name }, ...more });

  describe("create", () => {
    test("a create sets identity, defaults and generation", async () => {
      const { status, body } = await server.call(
        "POST",
        toys,
        toy("made", { spec: { size: 1 }, status: { phase: "x" } }),
      );
      expect(status).toBe(201);
      expect(body).toMatchObject({
        kind: "Toy",
        apiVersion: "toys.example.com/v1",
        metadata: { name: "made", namespace: "ns", generation: 1 },
        spec: { color: "red", size: 1 },
        status: {},
      });
      expect(body.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
      expect(body.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      expect(body.status).toEqual({});
      const read = await server.call("GET", `${toys}/made`);
      expect(read.body).toEqual(body);
    });

    test("a create generates names from generateName", async () => {
      const first = await server.call("POST", toys, { metadata: { generateName: "gen-" } });
      expect(first.body.metadata.name).toMatch(/^gen-[a-z0-9]{5}$/);
    });

    test("dry run stores nothing", async () => {
      const { status, body } = await server.call("POST", `${toys}?dryRun=All`, toy("dry"));
      expect(status).toBe(201);
      expect(body.metadata.resourceVersion).toBeUndefined();
      expect((await server.call("GET", `${toys}/dry`)).status).toBe(404);
    });

    test.each([
      ["existing", toy("made"), 409, "AlreadyExists", 'toys.toys.example.com "made" already exists'],
      [
        "no name",
        {},
        422,
        "Invalid",
        'Toy.toys.example.com "" is invalid: metadata.name: Required value: name or generateName is required',
      ],
      [
        "invalid",
        toy("a", { spec: { size: -1 } }),
        422,
        "Invalid",
        'Toy.toys.example.com "a" is invalid: spec.size: Invalid value: -1: must be greater than or equal to 0',
      ],
      [
        "other namespace",
        { metadata: { name: "a", namespace: "b" } },
        400,
        "BadRequest",
        "the namespace of the provided object does not match the namespace sent on the request",
      ],
      [
        "other kind",
        { kind: "Pod", apiVersion: "v1", metadata: { name: "a" } },
        400,
        "BadRequest",
        'Pod in version "v1" cannot be handled as a Toy: the path takes kind Toy of toys.example.com/v1',
      ],
      [
        "wrong type",
        toy("a", { spec: [] }),
        400,
        "BadRequest",
        'Toy in version "v1" cannot be handled as a Toy: json: cannot unmarshal array into Go struct field Toy.spec of type v1.ToySpec',
      ],
    ])("refuses %s", async (_name, body, code, reason, message) => {
      const answer = await server.call("POST", toys, body);
      expect(answer.body).toMatchObject({ kind: "Status", status: "Failure", code, reason, message });
      expect(answer.status).toBe(code);
    });

    test.each([
      ["Warn", 201],
      ["Strict", 400],
      ["Ignore", 201],
    ])("fieldValidation=%s", async (mode, code) => {
      const text = `{"metadata":{"name":"fv-${mode.toLowerCase()}"},"spec":{"bad":1,"size":1,"size":2}}`;
      const answer = await server.call("POST", `${toys}?fieldValidation=${mode}`, text);
      expect(answer.status).toBe(code);
      const warning = answer.headers.get("warning");
      if (mode === "Warn")
        expect(warning).toBe('299 - "unknown field \\"spec.bad\\"", 299 - "duplicate field \\"spec.size\\""');
      else expect(warning).toBeNull();
      if (mode === "Strict") {
        expect(answer.body.message).toBe(
          'Toy in version "v1" cannot be handled as a Toy: strict decoding error: unknown field "spec.bad", duplicate field "spec.size"',
        );
      }
    });
  });

  describe("update", () => {
    test("an update of spec increases the generation, one of status does not, and a no-op keeps the resourceVersion", async () => {
      const { body: made } = await server.call("POST", toys, toy("upd", { spec: { size: 1 } }));
      const { body: spec } = await server.call("PUT", `${toys}/upd`, { ...made, spec: { size: 2 } });
      expect(spec.metadata.generation).toBe(2);
      expect(Number(spec.metadata.resourceVersion)).toBeGreaterThan(Number(made.metadata.resourceVersion));
      const { body: status } = await server.call("PUT", `${toys}/upd/status`, {
        ...spec,
        spec: { size: 9 },
        status: { phase: "On" },
      });
      expect(status).toMatchObject({ metadata: { generation: 2 }, spec: { size: 2 }, status: { phase: "On" } });
      const { body: same } = await server.call("PUT", `${toys}/upd`, status);
      expect(same.metadata.resourceVersion).toBe(status.metadata.resourceVersion);
      const stale = await server.call("PUT", `${toys}/upd`, made);
      expect(stale.body).toMatchObject({
        code: 409,
        reason: "Conflict",
        message:
          'Operation cannot be fulfilled on toys.toys.example.com "upd": the object has been modified; please apply your changes to the latest version and try again',
      });
    });

    test("without resourceVersion: an update is accepted or rejected by the kind, and may create an object", async () => {
      expect((await server.call("PUT", `${toys}/none`, toy("none"))).status).toBe(404);
      expect((await server.call("PUT", `${boxes}/by-put`, toy("by-put"))).status).toBe(201);
      const refused = await server.call("PUT", `${boxes}/by-put`, toy("by-put", { spec: { size: 1 } }));
      expect(refused.body.message).toBe(
        'boxes.toys.example.com "by-put" is invalid: metadata.resourceVersion: Invalid value: 0x0: must be specified for an update',
      );
    });

    test("the name in the object must match the path", async () => {
      expect((await server.call("PUT", `${toys}/made`, toy("b"))).body.message).toBe(
        "the name of the object (b) does not match the name on the URL (made)",
      );
      expect((await server.call("PUT", `${toys}/made`, {})).body.message).toBe(
        "the name of the object (made based on URL) was undeterminable: name must be provided",
      );
    });

    test.each([
      ["application/merge-patch+json", { spec: { color: "blue" } }],
      ["application/strategic-merge-patch+json", { spec: { color: "green" } }],
      ["application/json-patch+json", [{ op: "replace", path: "/spec/color", value: "black" }]],
    ])("patch %s", async (type, patch) => {
      const { status, body } = await server.call("PATCH", `${toys}/made`, patch, { "content-type": type });
      expect(status).toBe(200);
      expect(body.spec.color).toBe(Array.isArray(patch) ? "black" : patch.spec.color);
    });

    test("concurrent patches are all applied", async () => {
      await server.call("POST", toys, toy("race"));
      const results = await Promise.all(
        Array.from({ length: 5 }, (_, i) =>
          server.call(
            "PATCH",
            `${toys}/race`,
            { metadata: { labels: { [`l${i}`]: "x" } } },
            { "content-type": "application/merge-patch+json" },
          ),
        ),
      );
      expect(results.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      const { body } = await server.call("GET", `${toys}/race`);
      expect(Object.keys(body.metadata.labels)).toEqual(["l0", "l1", "l2", "l3", "l4"]);
    });

    test("a patch of an unknown type gives 415, and one of a missing object 404", async () => {
      expect(
        (await server.call("PATCH", `${toys}/made`, {}, { "content-type": "application/x-patch+yaml" })).status,
      ).toBe(415);
      expect(
        (await server.call("PATCH", `${toys}/nope`, {}, { "content-type": "application/merge-patch+json" })).status,
      ).toBe(404);
    });

    test("scale", async () => {
      await server.call("POST", toys, toy("scaled", { spec: { size: 1 } }));
      const { body } = await server.call("GET", `${toys}/scaled/scale`);
      expect(body).toMatchObject({
        kind: "Scale",
        apiVersion: "autoscaling/v1",
        spec: { replicas: 1 },
        status: { replicas: 0, selector: "a=b" },
      });
      const put = await server.call("PUT", `${toys}/scaled/scale`, { ...body, spec: { replicas: 4 } });
      expect(put.body.spec.replicas).toBe(4);
      const bad = await server.call("PUT", `${toys}/scaled/scale`, {
        metadata: { name: "scaled" },
        spec: { replicas: -1 },
      });
      expect(bad.body.message).toBe(
        'Scale.autoscaling "scaled" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      );
    });
  });

  describe("delete", () => {
    test("a delete removes the object and responds with a Status", async () => {
      const { body: made } = await server.call("POST", toys, toy("gone"));
      const { body } = await server.call("DELETE", `${toys}/gone`);
      expect(body).toEqual({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Success",
        details: { name: "gone", group: "toys.example.com", kind: "toys", uid: made.metadata.uid },
      });
      expect((await server.call("GET", `${toys}/gone`)).status).toBe(404);
      expect((await server.call("DELETE", `${toys}/gone`)).status).toBe(404);
    });

    test("a generation that cannot be increased does not prevent a deletion", async () => {
      const metadata = { name: "old", generation: Number.MAX_SAFE_INTEGER, finalizers: ["example.com/hold"] };
      await server.call("POST", boxes, { metadata });
      const { status, body } = await server.call("DELETE", `${boxes}/old`);
      expect([status, body.metadata.generation]).toEqual([200, Number.MAX_SAFE_INTEGER]);
    });

    test("finalizers hold a deletion, and removing them completes it", async () => {
      await server.call("POST", toys, { metadata: { name: "held", finalizers: ["example.com/hold"] } });
      const first = await server.call("DELETE", `${toys}/held`);
      expect(first.body).toMatchObject({ kind: "Toy", metadata: { deletionGracePeriodSeconds: 0, generation: 2 } });
      const second = await server.call("DELETE", `${toys}/held`);
      expect(second.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
      const more = await server.call(
        "PATCH",
        `${toys}/held`,
        { metadata: { finalizers: ["example.com/hold", "example.com/late"] } },
        { "content-type": "application/merge-patch+json" },
      );
      expect(more.status).toBe(422);
      const last = await server.call(
        "PATCH",
        `${toys}/held`,
        { metadata: { finalizers: [] } },
        { "content-type": "application/merge-patch+json" },
      );
      expect(last.status).toBe(200);
      expect((await server.call("GET", `${toys}/held`)).status).toBe(404);
    });

    test("a grace period can only be shortened", async () => {
      await server.call("POST", toys, toy("grace"));
      const first = await server.call("DELETE", `${toys}/grace?gracePeriodSeconds=30`);
      expect(first.body.metadata.deletionGracePeriodSeconds).toBe(30);
      await server.call("DELETE", `${toys}/grace?gracePeriodSeconds=60`);
      expect((await server.call("GET", `${toys}/grace`)).body.metadata.deletionGracePeriodSeconds).toBe(30);
      const shorter = await server.call("DELETE", `${toys}/grace`, { gracePeriodSeconds: 5 });
      expect(shorter.body.metadata.deletionGracePeriodSeconds).toBe(5);
      await server.call("DELETE", `${toys}/grace?gracePeriodSeconds=0`);
      await server.call("POST", toys, toy("patient"));
      const longest = await server.call("DELETE", `${toys}/patient`, {
        gracePeriodSeconds: Number.MAX_SAFE_INTEGER,
      });
      expect(longest.body.metadata.deletionTimestamp).toMatch(/^9999-12-31T23:59:5\dZ$/);
      const soon = await server.call("DELETE", `${toys}/patient?gracePeriodSeconds=30`);
      expect(Date.parse(soon.body.metadata.deletionTimestamp) - Date.now()).toBeLessThan(31_000);
      await server.call("DELETE", `${toys}/patient?gracePeriodSeconds=0`);
      expect((await server.call("GET", `${toys}/grace`)).status).toBe(404);
    });

    test.each([
      ["Orphan", "orphan", 200],
      ["Foreground", "foregroundDeletion", 200],
    ])("propagationPolicy=%s leaves finalizer %s", async (policy, finalizer, code) => {
      const name = policy.toLowerCase();
      await server.call("POST", toys, toy(name));
      const { status, body } = await server.call("DELETE", `${toys}/${name}?propagationPolicy=${policy}`);
      expect(status).toBe(code);
      expect(body.metadata.finalizers).toEqual([finalizer]);
    });

    test("orphanDependents=false gives 202 while finalizers hold the object", async () => {
      await server.call("POST", toys, { metadata: { name: "slow", finalizers: ["example.com/hold"] } });
      expect((await server.call("DELETE", `${toys}/slow?orphanDependents=false`)).status).toBe(202);
    });

    const typed = (apiVersion: string, body: object): Buffer =>
      encodeProtobuf(DeleteOptions, { kind: "DeleteOptions", apiVersion, ...body });

    test.each(["toys.example.com/v1", "v1", "meta.o8s.io/v1", "meta.k8s.io/v1", "apps/v1", ""])(
      "takes DeleteOptions of %j in every encoding",
      async (apiVersion) => {
        const named = { ...(apiVersion === "" ? {} : { apiVersion, kind: "DeleteOptions" }), gracePeriodSeconds: 30 };
        const bodies = [
          ["json", "application/json", JSON.stringify(named)],
          ["yaml", "application/yaml", yamlLibrary().stringify(named)],
          ["protobuf", protobufMediaType, typed(apiVersion, { gracePeriodSeconds: 30 })],
        ] as const;
        for (const [name, type, body] of bodies) {
          const path = `${toys}/typed-${name}`;
          await server.call("POST", toys, toy(`typed-${name}`));
          const answer = await server.call("DELETE", path, body, { "content-type": type });
          expect([name, answer.body.metadata?.deletionGracePeriodSeconds]).toEqual([name, 30]);
          const all = typed(apiVersion, { gracePeriodSeconds: 0 });
          const collection = `${toys}?fieldSelector=metadata.name=typed-${name}`;
          const many = await server.call("DELETE", collection, all, { "content-type": protobufMediaType });
          expect([many.status, (await server.call("GET", path)).status]).toEqual([200, 404]);
        }
      },
    );

    test.each(["uid", "resourceVersion"])("the precondition %s in the query", async (name) => {
      await server.call("POST", boxes, { metadata: { name: `query-${name.toLowerCase()}` } });
      const path = `${boxes}/query-${name.toLowerCase()}`;
      const stored = (await server.call("GET", path)).body.metadata[name];
      expect((await server.call("DELETE", `${path}?${name}=1`)).status).toBe(409);
      expect((await server.call("DELETE", `${path}?${name}=${stored}`)).status).toBe(200);
    });

    test("a delete that removes the last finalizer and the grace period removes the object", async () => {
      await server.call("POST", toys, toy("waiting"));
      const path = `${toys}/waiting`;
      await server.call("DELETE", path, { propagationPolicy: "Foreground", gracePeriodSeconds: 30 });
      expect((await server.call("GET", path)).body.metadata.finalizers).toEqual(["foregroundDeletion"]);
      await server.call("DELETE", path, { propagationPolicy: "Background", gracePeriodSeconds: 0 });
      expect((await server.call("GET", path)).status).toBe(404);
    });

    test("preconditions hold for every object of a collection", async () => {
      await server.call("POST", toys, { metadata: { name: "pinned" } });
      const uid = "11111111-2222-3333-4444-555555555555";
      const { body } = await server.call("DELETE", `${toys}?fieldSelector=metadata.name=pinned`, {
        preconditions: { uid },
      });
      expect([body.code, (await server.call("GET", `${toys}/pinned`)).status]).toEqual([409, 200]);
    });

    test("mutually exclusive options are reported before unknown values", async () => {
      const body = { propagationPolicy: "Sometimes", orphanDependents: true };
      const answer = await server.call("DELETE", `${toys}/made`, body);
      expect(answer.body.message).toBe(
        'DeleteOptions.meta.o8s.io "" is invalid: [propagationPolicy: Invalid value: "Sometimes": orphanDependents and ' +
          'deletionPropagation cannot be both set, propagationPolicy: Unsupported value: "Sometimes": supported values: ' +
          '"Foreground", "Background", "Orphan", "nil"]',
      );
    });

    test("preconditions", async () => {
      await server.call("POST", toys, toy("pre"));
      const { body } = await server.call("DELETE", `${toys}/pre`, {
        preconditions: { uid: "11111111-2222-3333-4444-555555555555" },
      });
      expect(body).toMatchObject({ code: 409, details: { name: "pre", kind: "Toy" } });
    });

    test.each([
      ["?propagationPolicy=Sometimes", undefined, 422],
      ["", { propagationPolicy: "Foreground", orphanDependents: true }, 422],
      ["?gracePeriodSeconds=x", undefined, 400],
      ["", "{bad", 400],
      ["", { kind: "Pod", apiVersion: "v1" }, 400],
    ])("refuses options %s %j", async (query, body, code) => {
      expect((await server.call("DELETE", `${toys}/made${query}`, body)).status).toBe(code);
    });

    test("deletecollection deletes what the selector matches", async () => {
      for (const name of ["c1", "c2", "c3"])
        await server.call("POST", toys, { metadata: { name, labels: { c: name } } });
      const { body } = await server.call("DELETE", `${toys}?labelSelector=c+in+(c1,c2)`);
      expect(body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(["c1", "c2"]);
      expect((await server.call("GET", `${toys}?labelSelector=c`)).body.items).toHaveLength(1);
    });
  });
});
