import { expect, test } from "vitest";
import { create, merged, update, without } from "../../../../test/support.ts";
import { pods } from "../pod.ts";

const base = {
  metadata: { name: "p", namespace: "ns" },
  spec: { containers: [{ name: "c", image: "i" }] },
};
const annotated = (annotations: object, spec: object = {}): unknown =>
  merged(base, { metadata: { annotations }, spec });

const mirror = "orchernetes.io/config.mirror";
const cost = "controller.orchernetes.io/pod-deletion-cost";
const armor = "container.apparmor.security.beta.orchernetes.io/c";
const seccomp = "seccomp.security.alpha.orchernetes.io/pod";
const ofContainer = "container.seccomp.security.alpha.orchernetes.io/c";

test.each([
  [{ [mirror]: "h" }, {}, [`[${mirror}]: Invalid value: "h": must set spec.nodeName if mirror pod annotation is set`]],
  [{ [mirror]: "h" }, { nodeName: "n" }, []],
  [{ [cost]: "-2147483648" }, {}, []],
  [{ [cost]: "2147483648" }, {}, [`[${cost}]: Invalid value: "2147483648": must be a 32bit integer`]],
  [{ [cost]: "+1" }, {}, [`[${cost}]: Invalid value: "+1": must be a 32bit integer`]],
  [{ [cost]: "01" }, {}, [`[${cost}]: Invalid value: "01": must be a 32bit integer`]],
  [{ [armor]: "localhost/x" }, {}, []],
  [{ [armor]: "odd" }, {}, [`[${armor}]: Invalid value: "odd": invalid AppArmor profile name: "odd"`]],
  [{ [`${armor}2`]: "unconfined" }, {}, [`[${armor}2]: Invalid value: "c2": container not found`]],
  [{ [seccomp]: "docker/default" }, {}, []],
  [{ [seccomp]: "localhost/../x" }, {}, [`[${seccomp}]: Invalid value: "../x": must not contain '..'`]],
  [{ [ofContainer]: "odd" }, {}, [`[${ofContainer}]: Invalid value: "odd": must be a valid seccomp profile`]],
])("annotations %j with %j", (annotations, spec, want) => {
  expect(create(pods, annotated(annotations, spec)).errors).toEqual(want.map((text) => `metadata.annotations${text}`));
});

test.each([
  ["runtime/default", { type: "RuntimeDefault" }, []],
  ["unconfined", { type: "RuntimeDefault" }, ["type: Forbidden: seccomp type in annotation and field must match"]],
  [
    "localhost/a",
    { type: "Localhost", localhostProfile: "b" },
    ["localhostProfile: Forbidden: seccomp profile in annotation and field must match"],
  ],
])("annotation %s beside the profile %j", (annotation, seccompProfile, want) => {
  const at = "securityContext.seccompProfile";
  const ofPod = annotated({ [seccomp]: annotation }, { securityContext: { seccompProfile } });
  expect(create(pods, ofPod).errors).toEqual(want.map((text) => `spec.${at}.${text}`));
  const containers = [{ name: "c", image: "i", securityContext: { seccompProfile } }];
  const errors = create(pods, annotated({ [ofContainer]: annotation }, { containers })).errors;
  expect(errors).toEqual(want.map((text) => `spec.containers[0].${at}.${text}`));
});

test.each([
  [{ [armor]: "unconfined" }, {}, [`[${armor}]: Forbidden: may not remove or update AppArmor annotations`]],
  [{}, { [armor]: "unconfined" }, [`[${armor}]: Forbidden: may not add AppArmor annotations`]],
  [
    { [armor]: "unconfined" },
    { [armor]: "runtime/default" },
    [`[${armor}]: Forbidden: may not remove or update AppArmor annotations`],
  ],
  [{}, { [mirror]: "h" }, [`[${mirror}]: Forbidden: may not add mirror pod annotation`]],
  [{ [cost]: "x" }, { [cost]: "y" }, []],
  [{ [cost]: "1" }, { [cost]: "y" }, [`[${cost}]: Invalid value: "y": must be a 32bit integer`]],
])("update of annotations %j to %j", (before, after, want) => {
  const old = create(pods, annotated(before, { nodeName: "n" })).object;
  const { errors } = update(pods, old, annotated(after, { nodeName: "n" }));
  expect(errors).toEqual(want.map((text) => `metadata.annotations${text}`));
});

test("deletion costs are not validated while the feature is disabled", () => {
  const ctx = without("PodDeletionCost");
  expect(create(pods, annotated({ [cost]: "x" }), undefined, ctx).errors).toEqual([]);
});
