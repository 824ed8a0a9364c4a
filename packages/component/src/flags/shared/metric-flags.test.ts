import { expect, test } from "vitest";
import { type Program, parseFlags } from "../parse-flags.ts";
import { metricFlags } from "./metric-flags.ts";

const program: Program = { name: "x", description: "", version: { text: "", raw: "" } };

const onlyPrevious =
  "--show-hidden-metrics-for-version must be omitted or have the value '1.26'. Only the previous minor version is allowed";

test.each([
  [["--show-hidden-metrics-for-version=1.26"], []],
  [["--show-hidden-metrics-for-version="], []],
  [["--show-hidden-metrics-for-version=1.25"], [onlyPrevious]],
  [["--show-hidden-metrics-for-version=1.27"], [onlyPrevious]],
  [["--show-hidden-metrics-for-version=v1.26"], [onlyPrevious]],
  [["--allow-metric-labels=a_total,code='200,201'"], []],
  [
    ["--allow-metric-labels=a_total=200"],
    ['invalid value "a_total=200" for flag --allow-metric-labels: want metricName,labelName=labelValue,labelValue,...'],
  ],
])("%j", (argv, errors) => {
  const result = parseFlags(program, metricFlags, argv);
  expect(result.type === "errors" ? result.errors : []).toEqual(errors);
});
