import { claim, storageClass, volume } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { createClaimWaker } from "./wake-claims.ts";

function world() {
  const claims = [
    claim("big", { size: "9Gi" }),
    claim("a"),
    claim("b"),
    claim("w", { className: "wait" }),
    claim("n", { className: "" }),
  ];
  const queued: string[] = [];
  const waker = createClaimWaker({
    unbound: (className) => claims.filter(({ spec }) => spec.storageClassName === className),
    classByName: (name) =>
      name === "wait" ? storageClass(name, { volumeBindingMode: "WaitForFirstConsumer" }) : undefined,
    queue: (key) => queued.push(key),
  });
  return { queued, waker };
}

test("each volume wakes one suitable claim, and claims that were synced can be woken again", () => {
  const { queued, waker } = world();
  for (const name of ["v1", "v2", "v3"]) waker.volumeAvailable(volume(name));
  expect(queued).toEqual(["ns/a", "ns/b"]);
  waker.seen("ns/a");
  waker.volumeAvailable(volume("v4"));
  expect(queued).toEqual(["ns/a", "ns/b", "ns/a"]);
});

test.each([
  ["a reserved volume wakes its claim alone", volume("v", { claim: "x", uid: "" }), ["ns/x"]],
  ["a volume of a class that waits wakes none", volume("v", { className: "wait" }), []],
  ["a volume that suits nobody wakes none", volume("v", { size: "1Mi" }), []],
])("%s", (_, given, want) => {
  const { queued, waker } = world();
  waker.volumeAvailable(given);
  expect(queued).toEqual(want);
});

test.each([
  ["its claims", {}, ["ns/big", "ns/a", "ns/b"]],
  [
    "its claims and those without a class",
    { annotations: { "storageclass.orchernetes.io/is-default-class": "true" } },
    ["ns/big", "ns/a", "ns/b", "ns/n"],
  ],
])("a class wakes %s", (_, metadata, want) => {
  const { queued, waker } = world();
  waker.classChanged(storageClass("fast", { metadata }));
  expect(queued).toEqual(want);
});
