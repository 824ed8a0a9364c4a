import { expect, test } from "vitest";
import { testPod } from "../testing/pods.ts";
import { hashAnnotation, sourceAnnotation } from "../types/pod-identity.ts";
import { mirrorOf, showsStatusOf } from "./mirror-pods.ts";

const staticPod = (hash: string) =>
  testPod({}, { uid: hash, annotations: { [sourceAnnotation]: "file", [hashAnnotation]: hash } });
const mirror = (hash: string) => mirrorOf(staticPod(hash), { name: "node-a", uid: "n1" });

test.each([
  ["a pod shows its own status", testPod({}), testPod({}), true],
  ["a pod of the same name does not", testPod({}, { uid: "u2" }), testPod({}), false],
  ["a static pod's mirror does", mirror("h1"), staticPod("h1"), true],
  ["the mirror of its successor does not", mirror("h2"), staticPod("h1"), false],
  ["a pod that is no mirror does not", testPod({}), staticPod("h1"), false],
])("%s", (_, shown, pod, want) => {
  expect(showsStatusOf(shown, pod)).toBe(want);
});
