import type { batch } from "@orchernetes/api";
import { parseCronSchedule } from "@orchernetes/api/batch/v1";
import { expect, test } from "vitest";
import { meta, template } from "../../testing/builders.ts";
import type { Job } from "../job/job-pods.ts";
import { nextTime, wallClock } from "./next-time.ts";
import { type CronJob, jobName, reconcile } from "./reconcile.ts";

test.each([
  ["* * * * *", "UTC", "2024-01-01T00:00:00Z", "2024-01-01T00:01:00.000Z"],
  ["30 4 * * *", "UTC", "2024-01-01T05:00:10Z", "2024-01-02T04:30:00.000Z"],
  ["0 0 29 2 *", "UTC", "2024-03-01T00:00:00Z", "2028-02-29T00:00:00.000Z"],
  ["0 9 * * 1", "UTC", "2024-01-01T09:00:00Z", "2024-01-08T09:00:00.000Z"],
  ["0 9 13 * 5", "UTC", "2024-01-01T00:00:00Z", "2024-01-05T09:00:00.000Z"],
  ["0 9 * * *", "Europe/Berlin", "2024-07-01T08:00:00Z", "2024-07-02T07:00:00.000Z"],
  ["30 2 * * *", "Europe/Berlin", "2024-03-31T00:00:00Z", "2024-04-01T00:30:00.000Z"],
  ["@every 90s", "UTC", "2024-01-01T00:00:00.500Z", "2024-01-01T00:01:30.000Z"],
  ["0 0 31 2 *", "UTC", "2024-01-01T00:00:00Z", undefined],
])("%s in %s after %s", (text, zone, after, want) => {
  const at = nextTime(parseCronSchedule(text), Date.parse(after), wallClock(zone));
  expect(at === undefined ? undefined : new Date(at).toISOString()).toBe(want);
});

const now = new Date("2024-01-01T00:10:05Z");
const last = "2024-01-01T00:09:00Z";

function cronJob(
  spec: Partial<batch.CronJobSpec> = {},
  status: batch.CronJobStatus = { lastScheduleTime: last },
): CronJob {
  const jobTemplate = { metadata: {}, spec: { template: template() } };
  return { metadata: meta("c"), spec: { schedule: "* * * * *", jobTemplate, ...spec }, status };
}
function job(name: string, type?: "Complete" | "Failed", startTime = last): Job {
  return {
    metadata: meta(name),
    spec: { template: template() },
    status: { startTime, ...(type === undefined ? {} : { conditions: [{ type, status: "True" }] }) },
  };
}
const active = { lastScheduleTime: last, active: [{ name: "a", uid: "uid-a" }] };

test.each<[string, CronJob, readonly Job[], string]>([
  ["due", cronJob(), [], "start c-28401130"],
  ["not due", cronJob({}, { lastScheduleTime: "2024-01-01T00:10:00Z" }), [], ""],
  ["suspended", cronJob({ suspend: true }), [], ""],
  ["too late", cronJob({ startingDeadlineSeconds: 2 }), [], ""],
  ["side by side", cronJob({}, active), [job("a")], "start c-28401130"],
  ["forbidden", cronJob({ concurrencyPolicy: "Forbid" }, active), [job("a")], "JobAlreadyActive"],
  ["replaced", cronJob({ concurrencyPolicy: "Replace" }, active), [job("a")], "delete a, start c-28401130"],
  ["finished", cronJob({ suspend: true }, active), [job("a", "Complete")], "SawCompletedJob, status 0"],
  ["missing", cronJob({ suspend: true }, active), [], "MissingJob, status 0"],
  ["unknown", cronJob({ suspend: true }), [job("x")], "UnexpectedJob"],
  ["bad zone", cronJob({ timeZone: "Moon/Base" }), [], "UnknownTimeZone"],
  [
    "history",
    cronJob({ suspend: true, successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 }),
    [job("b", "Complete"), job("a", "Complete", "2024-01-01T00:01:00Z"), job("f", "Failed")],
    "delete a, delete f",
  ],
  [
    "long asleep",
    cronJob({}, { lastScheduleTime: "2023-12-01T00:00:00Z" }),
    [],
    "TooManyMissedTimes, start c-28401130",
  ],
])("%s", (_, of, jobs, want) => {
  const got = reconcile({ cronJob: of, jobs }, now).actions.map((action) => {
    switch (action.type) {
      case "Event":
        return action.reason;
      case "StartJob":
        return `start ${jobName(of, action.scheduledAt)}`;
      case "DeleteJob":
        return `delete ${action.job.metadata.name}`;
      default:
        return `status ${action.cronJob.status?.active?.length ?? 0}`;
    }
  });
  expect(got.join(", ")).toBe(want);
});

test("the next sync is shortly after the next scheduled time", () => {
  expect(reconcile({ cronJob: cronJob(), jobs: [] }, now).requeueAfterMs).toBe(55_100);
});
