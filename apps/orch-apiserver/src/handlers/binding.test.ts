import { core } from "@orchernetes/api";
import { ApiError } from "@orchernetes/apimachinery";
import type { RequestContext } from "@orchernetes/apiserver";
import { describe, expect, test } from "vitest";
import { bindingHandler, podBindingHandler } from "./binding.ts";

const target = { kind: "Node", name: "n1" };
const pod = (fields: { readonly metadata?: object; readonly spec?: object; readonly status?: object } = {}) => ({
  metadata: { name: "p", namespace: "a", uid: "u1", resourceVersion: "5", ...fields.metadata },
  spec: { containers: [], ...fields.spec },
  status: { ...fields.status },
});

/** Binds a stored pod, and returns the pod as it is then. */
async function bound(body: object | undefined, stored: object = pod(), handler = podBindingHandler): Promise<unknown> {
  let result: unknown;
  const answer = await handler.handle({
    req: { headers: {} },
    requestInfo: { namespace: "a", name: handler === podBindingHandler ? "p" : "" },
    body,
    admit: async () => undefined,
    now: new Date("2020-01-02T03:04:05.678Z"),
    registry: {
      forDefinition: (definition: object) => {
        expect(definition).toBe(core.pods);
        return {
          update: async (ref: object, change: (draft: object, current: object) => unknown) => {
            expect(ref).toEqual({ namespace: "a", name: "p" });
            const draft = structuredClone(stored);
            change(draft, stored);
            result = draft;
          },
        };
      },
    },
  } as unknown as RequestContext);
  expect(answer).toMatchObject({ status: 201, object: { kind: "Status", status: "Success", code: 201 } });
  return result;
}
const errorOf = async (...given: Parameters<typeof bound>): Promise<readonly [number, string]> => {
  try {
    await bound(...given);
  } catch (error) {
    if (error instanceof ApiError) return [error.code, error.message];
    throw error;
  }
  throw new Error("there was no error");
};

describe("a binding", () => {
  test("puts the pod on its node, and says in its status since when", async () => {
    const others = [
      { type: "Ready", status: "False" },
      { type: "PodScheduled", status: "False", reason: "Unschedulable" },
    ];
    expect(await bound({ metadata: { name: "p" }, target }, pod({ status: { conditions: others } }))).toMatchObject({
      spec: { nodeName: "n1" },
      status: {
        conditions: [
          { type: "Ready", status: "False" },
          { type: "PodScheduled", status: "True", lastTransitionTime: "2020-01-02T03:04:05Z" },
        ],
      },
    });
  });

  test("adds its annotations to those of the pod", async () => {
    const annotations = { b: "new", c: "3" };
    const stored = pod({ metadata: { annotations: { a: "1", b: "2" } } });
    expect(await bound({ metadata: { annotations }, target }, stored)).toMatchObject({
      metadata: { annotations: { a: "1", b: "new", c: "3" } },
    });
  });

  test("may name the pod in its body, where no URL does", async () => {
    expect(await bound({ metadata: { name: "p" }, target }, pod(), bindingHandler)).toMatchObject({
      spec: { nodeName: "n1" },
    });
    expect((await errorOf({ metadata: {}, target }, pod(), bindingHandler))[0]).toBe(400);
  });

  test.each<[string, object, object]>([
    ["its uid is the pod's", { uid: "u1" }, {}],
    ["its version is the pod's", { resourceVersion: "5" }, {}],
  ])("is done if %s", async (_name, metadata, fields) => {
    expect(await bound({ metadata, target }, pod(fields))).toMatchObject({ spec: { nodeName: "n1" } });
  });

  const conflict = (detail: string) => `Operation cannot be fulfilled on pods/binding "p": ${detail}`;
  test.each<[string, object, object, string]>([
    [
      "another uid",
      { uid: "u2" },
      {},
      conflict("Precondition failed: UID in precondition: u2, UID in object meta: u1"),
    ],
    [
      "another version",
      { resourceVersion: "4" },
      {},
      conflict("Precondition failed: ResourceVersion in precondition: 4, ResourceVersion in object meta: 5"),
    ],
    [
      "a pod that is deleted",
      {},
      { metadata: { deletionTimestamp: "2020-01-01T00:00:00Z" } },
      conflict("pod p is being deleted, cannot be assigned to a host"),
    ],
    ["a pod that has a node", {}, { spec: { nodeName: "n0" } }, conflict('pod p is already assigned to node "n0"')],
    [
      "a pod that is gated",
      {},
      { spec: { schedulingGates: [{ name: "g" }] } },
      conflict("pod p has non-empty .spec.schedulingGates"),
    ],
  ])("conflicts with %s", async (_name, metadata, fields, message) => {
    expect(await errorOf({ metadata, target }, pod(fields))).toEqual([409, message]);
  });

  test("needs a body of its own name, and a node", async () => {
    expect((await errorOf(undefined))[0]).toBe(400);
    expect(await errorOf({ metadata: { name: "q" }, target })).toEqual([
      400,
      "name in URL does not match name in Binding object",
    ]);
    expect((await errorOf({ metadata: {}, target: {} }))[0]).toBe(422);
    expect((await errorOf({ metadata: {}, target: { kind: "Pod", name: "n1" } }))[0]).toBe(422);
  });
});
