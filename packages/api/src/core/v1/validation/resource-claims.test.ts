import { expect, test } from "vitest";
import { create } from "../../../../test/support.ts";
import { pods } from "../pod.ts";

const pod = (resourceClaims: readonly object[], claims: readonly object[] = [], name = "p"): unknown => ({
  metadata: { name, namespace: "ns" },
  spec: { resourceClaims, containers: [{ name: "c", image: "i", resources: { claims } }] },
});
const source = { resourceClaimName: "shared" };
const one = 'Invalid value: core.ClaimSource{ResourceClaimName:"a", ResourceClaimTemplateName:"b"}';
const at = "spec.resourceClaims[0]";
const used = "spec.containers[0].resources.claims";

test.each([
  ["one claim", [{ name: "a", source }], [{ name: "a" }], []],
  ["no name", [{ name: "", source }], [], [`${at}.name: Required value`]],
  [
    "same names",
    [
      { name: "a", source },
      { name: "a", source },
    ],
    [],
    ['spec.resourceClaims[1].name: Duplicate value: "a"'],
  ],
  [
    "odd claim",
    [{ name: "a", source: { resourceClaimName: "-" } }],
    [],
    [/^spec.resourceClaims\[0\].source.resourceClaimName: Invalid value: "-": /],
  ],
  [
    "two sources",
    [{ name: "a", source: { resourceClaimName: "a", resourceClaimTemplateName: "b" } }],
    [],
    [`${at}.source: ${one}: at most one of \`resourceClaimName\` or \`resourceClaimTemplateName\` may be specified`],
  ],
  [
    "no source",
    [{ name: "a", source: {} }],
    [],
    [
      /^spec.resourceClaims\[0\].source: Invalid value: .*: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`$/,
    ],
  ],
  ["used twice", [{ name: "a", source }], [{ name: "a" }, { name: "a" }], [`${used}[1]: Duplicate value: "a"`]],
  ["used without a name", [{ name: "a", source }], [{ name: "" }], [`${used}[0]: Required value`]],
  [
    "unknown",
    [
      { name: "b", source },
      { name: "a", source },
    ],
    [{ name: "c" }],
    [`${used}[0]: Not found: "c": must be one of the names in pod.spec.resourceClaims: a, b`],
  ],
  [
    "none",
    [],
    [{ name: "c" }],
    [`${used}[0]: Not found: "c": must be one of the names in pod.spec.resourceClaims which is empty`],
  ],
])("claims: %s", (_, claims, uses, want) => {
  const { errors } = create(pods, pod(claims, uses));
  expect(errors).toEqual(want.map((text) => (typeof text === "string" ? text : expect.stringMatching(text))));
});

test("names of claims that are created from templates are validated", () => {
  const made = { name: "a", source: { resourceClaimTemplateName: "t" } };
  const { errors } = create(pods, pod([made], [], "P"));
  expect(errors).toEqual([
    expect.stringMatching(/^spec.resourceClaims\[0\].name: Invalid value: "P-a": final ResourceClaim name: /),
  ]);
});
