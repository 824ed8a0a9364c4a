import { expect, test } from "vitest";
import { parseStaticPods } from "./static-pod.ts";

const origin = { source: "file", location: "/m/web.yaml", nodeName: "node-a", seen: "2026-01-01T00:00:00Z" } as const;
const container = { name: "c", image: "i" };
const parse = (metadata: object, spec: object = {}) =>
  parseStaticPods(
    JSON.stringify({ kind: "Pod", apiVersion: "v1", metadata, spec: { containers: [container], ...spec } }),
    origin,
  );

test("a static pod is named after its node, has a uid and a namespace, and is bound to the node", () => {
  const [pod] = parse(
    { name: "web", labels: { app: "web" } },
    { hostNetwork: true, containers: [{ ...container, securityContext: { privileged: true } }] },
  );
  expect(pod?.metadata).toMatchObject({ name: "web-node-a", namespace: "default", labels: { app: "web" } });
  expect(pod?.metadata.uid).toMatch(/^[0-9a-f]{32}$/);
  expect(pod?.spec.nodeName).toBe("node-a");
  expect(parse({ name: "web", uid: "1234-ab", namespace: "x" })[0]?.metadata).toMatchObject({
    uid: "1234-ab",
    namespace: "x",
  });
});

test.each([
  ["no name", {}, {}, /metadata\.name: Required value/],
  ["a name with a path", { name: "../x" }, {}, /metadata\.name: Invalid value: "\.\.\/x-node-a"/],
  ["a name that no DNS holds", { name: "a..b" }, {}, /metadata\.name: Invalid value/],
  ["a namespace with a path", { name: "web", namespace: "../../etc" }, {}, /metadata\.namespace: Invalid value/],
  ["a uid with a path", { name: "web", uid: "../../../etc" }, {}, /metadata\.uid: found "\.\.\/\.\.\/\.\.\/etc"/],
  ["a uid that is a folder", { name: "web", uid: ".." }, {}, /metadata\.uid/],
  ["a uid without end", { name: "web", uid: "a".repeat(64) }, {}, /metadata\.uid/],
  ["a label that is none", { name: "web", labels: { "a b": "c" } }, {}, /metadata\.labels: Invalid value/],
  ["no container", { name: "web" }, { containers: [] }, /spec\.containers: Required value/],
  [
    "a container's name with a path",
    { name: "web" },
    { containers: [{ ...container, name: "../../x" }] },
    /spec\.containers\[0\]\.name: Invalid value: "\.\.\/\.\.\/x"/,
  ],
  [
    "a volume's name with a path",
    { name: "web" },
    { volumes: [{ name: "../v", emptyDir: {} }] },
    /spec\.volumes\[0\]\.name: Invalid value/,
  ],
  [
    "a subPath that leads out",
    { name: "web" },
    {
      volumes: [{ name: "v", emptyDir: {} }],
      containers: [{ ...container, volumeMounts: [{ name: "v", mountPath: "/v", subPath: "../x" }] }],
    },
    /subPath: Invalid value/,
  ],
  ["a service account", { name: "web" }, { serviceAccountName: "robot" }, /a static pod can have none/],
])("%s is rejected", (_, metadata, spec, want) => {
  expect(() => parse(metadata, spec)).toThrow(want);
});
