import { expect, test } from "vitest";
import { runtimeService } from "./services.ts";
import { containerStates, type ListedContainer, type ListedSandbox, sandboxStates } from "./states.ts";

const labels = { "o8s.uid": "u1", "o8s.uid.more": "x", other: "y", empty: "" };

const plain = ({ id, state, labels }: ListedSandbox | ListedContainer) => ({ id, state, labels });

test("of listed sandboxes and containers only ids, states and the labels with these names are read", () => {
  const { response: ofSandboxes } = runtimeService.listPodSandbox;
  const metadata = { name: "web", uid: "u1", namespace: "default", attempt: 1 };
  const sandboxes = ofSandboxes.encode({
    items: [
      { id: "s0", metadata, state: "SANDBOX_NOTREADY", createdAt: 5n, labels, annotations: { "o8s.uid": "no" } },
      { id: "s1" },
    ],
  });
  expect(sandboxStates("o8s.uid", "empty").decode(sandboxes).items.map(plain)).toEqual([
    { id: "s0", state: "SANDBOX_NOTREADY", labels: { "o8s.uid": "u1", empty: "" } },
    { id: "s1", state: "SANDBOX_READY", labels: {} },
  ]);
  const { response: ofContainers } = runtimeService.listContainers;
  const containers = ofContainers.encode({
    containers: [{ id: "c0", podSandboxId: "s0", imageRef: "sha256:0", state: "CONTAINER_RUNNING", labels }],
  });
  expect(containerStates("other").decode(containers).containers.map(plain)).toEqual([
    { id: "c0", state: "CONTAINER_RUNNING", labels: { other: "y" } },
  ]);
  expect(() => containerStates("other").decode(containers.subarray(0, -3))).toThrow(RangeError);
});

test("an entry whose value comes before its key is read, too", () => {
  // Field 8 of a container: { 2: "v", 1: "k" }, { 2: "w", 1: "l" }.
  const entry = (key: string, value: string) =>
    Buffer.from([0x42, 6, 0x12, 1, ...Buffer.from(value), 0x0a, 1, ...Buffer.from(key)]);
  const container = Buffer.concat([entry("k", "v"), entry("l", "w")]);
  const response = Buffer.concat([Buffer.from([0x0a, container.length]), container]);
  expect(containerStates("k").decode(response).containers[0]?.labels).toEqual({ k: "v" });
  expect(runtimeService.listContainers.response.decode(response).containers[0]?.labels).toEqual({ k: "v", l: "w" });
});

test("fields beside the items are skipped", () => {
  const { response } = runtimeService.listPodSandbox;
  // Field 2: "x", and field 3: 1.
  const bytes = Buffer.concat([
    Buffer.from([0x12, 1, 0x78]),
    response.encode({ items: [{ id: "s0" }] }),
    Buffer.from([0x18, 1]),
  ]);
  expect(
    sandboxStates()
      .decode(bytes)
      .items.map(({ id }) => id),
  ).toEqual(["s0"]);
});
