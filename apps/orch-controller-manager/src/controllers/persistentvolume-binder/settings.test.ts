import { expect, test } from "vitest";
import { recyclerTemplate } from "./settings.ts";

const pod = { kind: "Pod", spec: { containers: [{ name: "c" }], volumes: [{ name: "v" }] } };

test.each<[string, unknown, unknown]>([
  ["a pod", pod, { metadata: { namespace: "default" }, spec: pod.spec }],
  [
    "a pod with a namespace and labels",
    { ...pod, metadata: { name: "x", namespace: "y", labels: { a: "b" } } },
    { metadata: { namespace: "y", labels: { a: "b" } }, spec: pod.spec },
  ],
  ["nothing", null, "not a Pod"],
  ["text", "pod", "not a Pod"],
  ["another kind", { kind: "Node" }, "not a Pod"],
  ["no containers", { kind: "Pod" }, "the pod does not contain any container"],
  ["no volumes", { kind: "Pod", spec: { containers: [{}] } }, "the pod does not contain any volume"],
])("recycler of %s", (_, document, want) => {
  const text = JSON.stringify(document);
  if (typeof want === "string") expect(() => recyclerTemplate(text)).toThrow(want);
  else expect(recyclerTemplate(text)).toEqual(want);
});
