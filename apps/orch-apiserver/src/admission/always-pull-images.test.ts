import type { AdmissionAttributes, AdmissionContext, MutatingAttributes } from "@orchernetes/apiserver";
import { expect, test } from "vitest";
import { alwaysPullImages } from "./always.ts";

const context = {} as AdmissionContext;
const container = (image: string, imagePullPolicy = "IfNotPresent") => ({ name: image, image, imagePullPolicy });
type Containers = Readonly<Record<string, readonly ReturnType<typeof container>[]>>;
const pod = (...lists: readonly Containers[]) => ({
  metadata: { name: "p" },
  spec: { containers: [container("a")], ...Object.assign({}, ...lists) } as Containers,
});
const write = (operation: string, object: object, oldObject?: object, subresource = "") =>
  ({
    operation,
    resource: { group: "", version: "v1", resource: "pods" },
    subresource,
    name: "p",
    object,
    oldObject,
  }) as unknown as AdmissionAttributes & MutatingAttributes;
const policies = ({ spec }: ReturnType<typeof pod>) =>
  Object.values(spec).flatMap((list) => list.map(({ imagePullPolicy }) => imagePullPolicy));

test("all containers of a new pod pull their images", () => {
  const object = pod({ initContainers: [container("i")], ephemeralContainers: [container("e", "Never")] });
  alwaysPullImages.admit?.(write("CREATE", object), context);
  expect(policies(object)).toEqual(["Always", "Always", "Always"]);
});

test("an update that brings an image is treated like a new pod", () => {
  const object = pod({ containers: [container("a"), container("b")] });
  alwaysPullImages.admit?.(write("UPDATE", object, pod()), context);
  expect(policies(object)).toEqual(["Always", "Always"]);
});

test("pods from before the plugin was switched on stay as they are, and writable", () => {
  const object = pod({ containers: [container("a"), container("i")], initContainers: [] });
  const update = write("UPDATE", object, pod({ initContainers: [container("i")] }));
  alwaysPullImages.admit?.(update, context);
  expect(policies(object)).toEqual(["IfNotPresent", "IfNotPresent"]);
  expect(() => alwaysPullImages.validate?.(update, context)).not.toThrow();
});

test("subresources are not looked at", () => {
  const object = pod();
  const status = write("UPDATE", object, undefined, "status");
  alwaysPullImages.admit?.(status, context);
  alwaysPullImages.validate?.(status, context);
  expect(policies(object)).toEqual(["IfNotPresent"]);
});

test("what others made of the policy afterwards is refused", () => {
  const object = pod({ containers: [container("a", "Always"), container("b", "Never")] });
  expect(() => alwaysPullImages.validate?.(write("CREATE", object), context)).toThrow(
    'pods "p" is forbidden: spec.containers[1].imagePullPolicy: Unsupported value: "Never": supported values: "Always"',
  );
});
