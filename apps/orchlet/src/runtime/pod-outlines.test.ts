import type { ListedContainer, ListedSandbox } from "@orchernetes/cri";
import { expect, test } from "vitest";
import { podNameLabel, podNamespaceLabel, podUidLabel } from "./labels.ts";
import { OutlineMaker } from "./pod-outlines.ts";

const labelsOf = (uid: string) => ({ [podUidLabel]: uid, [podNameLabel]: "web", [podNamespaceLabel]: "default" });
const sandbox = (id: string, uid: string, state: ListedSandbox["state"] = "SANDBOX_READY"): ListedSandbox => ({
  ...{ id, state },
  labels: labelsOf(uid),
});
const container = (
  id: string,
  uid: string,
  state: ListedContainer["state"] = "CONTAINER_RUNNING",
): ListedContainer => ({
  ...{ id, state },
  labels: labelsOf(uid),
});

test("lists with the same content in any order have the same outlines", () => {
  const maker = new OutlineMaker();
  const [sandboxes, containers] = [
    [sandbox("s1", "u1"), sandbox("s2", "u2")],
    [container("c1", "u1"), container("c2", "u2")],
  ];
  const first = maker.outlinesOf(sandboxes, containers);
  expect(first.get("u1")).toMatchObject({ uid: "u1", name: "web", namespace: "default", running: 1 });
  expect(maker.outlinesOf(sandboxes.toReversed(), containers.toReversed())).toBe(first);
});

test.each([
  ["a container ends", [sandbox("s1", "u1")], [container("c1", "u1", "CONTAINER_EXITED")], "u1"],
  ["a container takes the place of another", [sandbox("s1", "u1")], [container("c2", "u1")], "u1"],
  ["a container is gone", [sandbox("s1", "u1")], [], "u1"],
  ["a sandbox is not ready", [sandbox("s1", "u1", "SANDBOX_NOTREADY")], [container("c1", "u1")], "u1"],
  ["there is a second sandbox", [sandbox("s1", "u1"), sandbox("s2", "u1")], [container("c1", "u1")], "u1"],
])("the fingerprint of a pod changes when %s", (_, sandboxes, containers, uid) => {
  const maker = new OutlineMaker();
  const before = maker.outlinesOf([sandbox("s1", "u1")], [container("c1", "u1")]).get(uid);
  const after = maker.outlinesOf(sandboxes, containers).get(uid);
  expect(after?.fingerprint).not.toBe(before?.fingerprint);
});

test("a pod without sandboxes and containers has no outline", () => {
  const maker = new OutlineMaker();
  maker.outlinesOf([sandbox("s1", "u1")], []);
  expect([...maker.outlinesOf([], []).keys()]).toEqual([]);
});

test("a list whose labels cannot be read is an error each time, and never counts as unchanged", () => {
  const maker = new OutlineMaker();
  maker.outlinesOf([sandbox("s1", "u1")], []);
  const damaged: ListedSandbox = {
    ...{ id: "s2", state: "SANDBOX_READY" },
    get labels(): never {
      throw new RangeError("truncated");
    },
  };
  for (let i = 0; i < 2; i++) expect(() => maker.outlinesOf([damaged], [])).toThrow(RangeError);
});
