import { expect, test } from "vitest";
import { texts } from "../../../../test/support.ts";
import { validateBinding, validatePodLogOptions } from "./pod-options.ts";

test.each([
  [{ tailLines: 0, sinceSeconds: 1 }, []],
  [{ tailLines: -1 }, ["tailLines: Invalid value: -1: must be greater than or equal to 0"]],
  [{ sinceSeconds: 0 }, ["sinceSeconds: Invalid value: 0: must be greater than 0"]],
  [{ limitBytes: 0 }, ["limitBytes: Invalid value: 0: must be greater than 0"]],
  [
    { sinceSeconds: 5, sinceTime: "2020-01-01T00:00:00Z" },
    [": Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified"],
  ],
])("log options %j", (options, want) => {
  expect(texts(validatePodLogOptions(options))).toEqual(want);
});

test.each([
  [{ name: "n" }, []],
  [{ kind: "Node", name: "n" }, []],
  [{ kind: "Pod", name: "n" }, ['target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"']],
  [{}, ["target.name: Required value"]],
])("binding to %j", (target, want) => {
  expect(texts(validateBinding({ metadata: { name: "p" }, target }))).toEqual(want);
});
