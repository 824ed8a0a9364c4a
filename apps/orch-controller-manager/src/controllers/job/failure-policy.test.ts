import { expect, test } from "vitest";
import { failureVerdict } from "./failure-policy.ts";
import type { Job, Pod } from "./job-pods.ts";

const job = (...rules: readonly object[]) => ({ spec: { podFailurePolicy: { rules } } }) as unknown as Job;
const pod = (exitCode: number, conditions: readonly object[] = []) =>
  ({
    metadata: { namespace: "ns", name: "p" },
    status: { containerStatuses: [{ name: "c", state: { terminated: { exitCode } } }], conditions },
  }) as unknown as Pod;
const onCodes = (action: string, operator: string, values: readonly number[], containerName?: string) => ({
  action,
  onExitCodes: { operator, values, ...(containerName === undefined ? {} : { containerName }) },
});

test.each([
  ["a listed exit code", job(onCodes("FailJob", "In", [3])), pod(3), "FailJob"],
  ["an exit code that is not listed", job(onCodes("FailJob", "In", [3])), pod(4), undefined],
  ["NotIn with another code", job(onCodes("Ignore", "NotIn", [3])), pod(4), "Ignore"],
  ["NotIn with a success", job(onCodes("Ignore", "NotIn", [3])), pod(0), undefined],
  ["another container", job(onCodes("FailJob", "In", [3], "other")), pod(3), undefined],
  ["the first matching rule", job(onCodes("Count", "In", [3]), onCodes("FailJob", "In", [3])), pod(3), "Count"],
  ["no policy", { spec: {} } as unknown as Job, pod(3), undefined],
])("%s", (_, of, failed, want) => {
  expect(failureVerdict(of, failed)?.action).toBe(want);
});

test("a condition must match in type and status", () => {
  const rule = { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] };
  expect(failureVerdict(job(rule), pod(1, [{ type: "DisruptionTarget", status: "False" }]))).toBeUndefined();
  expect(failureVerdict(job(rule), pod(1, [{ type: "DisruptionTarget", status: "True" }]))).toEqual({
    action: "Ignore",
    message: "Pod ns/p has condition DisruptionTarget matching Ignore rule at index 0",
  });
});
