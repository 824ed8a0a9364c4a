import { expect, test } from "vitest";
import { compareLevels, defaultPolicy, levelText, modes, PREFIX, policyOf } from "./policy.ts";

const none = defaultPolicy(undefined);
const parse = (labels: Readonly<Record<string, string>> | undefined, defaults = none) => {
  const prefixed = labels && Object.fromEntries(Object.entries(labels).map(([key, value]) => [PREFIX + key, value]));
  const { policy, errors } = policyOf(prefixed, defaults);
  return [
    modes.map((mode) => levelText(policy[mode])).join(" "),
    ...errors.map(({ field, message }) => `${field}: ${message}`),
  ];
};
const privileged = "privileged:latest";
const at = (label: string) => `metadata.labels[${PREFIX}${label}]: Invalid value: `;

test.each<[Readonly<Record<string, string>> | undefined, ...string[]]>([
  [undefined, `${privileged} ${privileged} ${privileged}`],
  [{}, `${privileged} ${privileged} ${privileged}`],
  [{ enforce: "baseline" }, `baseline:latest ${privileged} baseline:latest`],
  [{ enforce: "baseline", "enforce-version": "v1.20" }, `baseline:v1.20 ${privileged} baseline:v1.20`],
  [{ enforce: "baseline", "warn-version": "v1.20" }, `baseline:latest ${privileged} baseline:v1.20`],
  [{ enforce: "baseline", warn: "privileged" }, `baseline:latest ${privileged} ${privileged}`],
  [{ audit: "restricted", "audit-version": "v1.0" }, `${privileged} restricted:v1.0 ${privileged}`],
  [{ warn: "restricted", enforce: "baseline" }, `baseline:latest ${privileged} restricted:latest`],
  [
    { enforce: "x" },
    `restricted:latest ${privileged} ${privileged}`,
    `${at("enforce")}"x": must be one of privileged, baseline, restricted`,
  ],
  [
    { audit: "x" },
    `${privileged} ${privileged} ${privileged}`,
    `${at("audit")}"x": must be one of privileged, baseline, restricted`,
  ],
  [
    { warn: "x", enforce: "baseline" },
    `baseline:latest ${privileged} ${privileged}`,
    `${at("warn")}"x": must be one of privileged, baseline, restricted`,
  ],
  [
    { enforce: "baseline", "enforce-version": "1.27" },
    `baseline:latest ${privileged} baseline:latest`,
    `${at("enforce-version")}"1.27": must be "latest" or "v1.x"`,
  ],
])("%j", (labels, ...want) => {
  expect(parse(labels)).toEqual(want);
});

test("defaults are for what labels leave out", () => {
  const defaults = defaultPolicy({
    enforce: "baseline",
    "enforce-version": "v1.25",
    audit: "restricted",
    "audit-version": "latest",
    warn: "restricted",
    "warn-version": "v1.26",
  });
  expect(parse(undefined, defaults)).toEqual(["baseline:v1.25 restricted:latest restricted:v1.26"]);
  expect(parse({ enforce: "privileged" }, defaults)).toEqual(["privileged:v1.25 restricted:latest restricted:v1.26"]);
});

test("restricted is stricter than baseline, and that than privileged", () => {
  expect([compareLevels("restricted", "baseline"), compareLevels("baseline", "privileged")]).toEqual([1, 1]);
  expect(compareLevels("privileged", "restricted")).toBeLessThan(0);
});
