import type { FakeApiServer } from "@orchernetes/client/testing";
import { FakeClock } from "@orchernetes/kernel";
import { beforeEach, expect, test, vi } from "vitest";
import { meta, template } from "../../testing/builders.ts";
import { serverForTest, startControllers } from "../../testing/start-controller.ts";
import { cronJobController } from "./controller.ts";

const jobsPath = "/apis/batch/v1/jobs";
const cronJobsPath = "/apis/batch/v1/cronjobs";
let server: FakeApiServer;
beforeEach(async () => {
  server = await serverForTest();
});

test.each([
  ["is there", 200, ["a"]],
  ["is gone", 404, ["c-28401130"]],
])("Forbid asks the server for an active job that the cache does not show: it %s", async (_, status, want) => {
  const job = { metadata: meta("a"), spec: { template: template() }, status: {} };
  // The job exists, yet this cache never hears of it.
  server.hook = ({ method, path }) =>
    method === "GET" && path.endsWith("/jobs/a") ? { status, body: status === 200 ? job : {} } : undefined;
  server.put(cronJobsPath, {
    metadata: { ...meta("c") },
    spec: {
      schedule: "* * * * *",
      concurrencyPolicy: "Forbid",
      jobTemplate: { metadata: {}, spec: { template: template() } },
    },
    status: { lastScheduleTime: "2024-01-01T00:09:00Z", active: [{ name: "a", uid: "uid-a" }] },
  });
  const clock = new FakeClock("2024-01-01T00:10:05Z");
  startControllers(server, [cronJobController], {}, clock);
  const active = (): unknown =>
    server
      .objects(cronJobsPath)
      .flatMap(({ status: of }) => (of as { active?: readonly { name: string }[] }).active ?? [])
      .map(({ name }) => name);
  await vi.waitFor(
    () => {
      expect(active()).toEqual(want);
      expect(server.requests.some(({ path }) => path.endsWith("/jobs/a"))).toBe(true);
    },
    { timeout: 20_000 },
  );
  const made = server.objects(jobsPath).map(({ metadata }) => metadata.name);
  expect(made).toEqual(status === 200 ? [] : want);
});

test.each([
  ["of the same cron job is taken for the one that was to be made", "uid-c", ["c-28401130"]],
  ["of somebody else is left alone", "uid-other", []],
])("an existing job with the name %s", async (_, uid, want) => {
  const job = {
    metadata: {
      ...meta("c-28401130"),
      ownerReferences: [{ apiVersion: "batch/v1", kind: "CronJob", name: "c", uid, controller: true }],
    },
    spec: { template: template() },
    status: {},
  };
  // The job exists, yet this cache never hears of it.
  server.hook = ({ method, path }) => {
    if (method === "POST" && path.endsWith("/jobs"))
      return { status: 409, body: { kind: "Status", apiVersion: "v1", reason: "AlreadyExists", code: 409 } };
    return method === "GET" && path.endsWith("/jobs/c-28401130") ? { status: 200, body: job } : undefined;
  };
  server.put(cronJobsPath, {
    metadata: { ...meta("c"), uid: "uid-c" },
    spec: { schedule: "* * * * *", jobTemplate: { metadata: {}, spec: { template: template() } } },
    status: { lastScheduleTime: "2024-01-01T00:09:00Z" },
  });
  const clock = new FakeClock("2024-01-01T00:10:05Z");
  startControllers(server, [cronJobController], {}, clock);
  const asked = (): number => server.requests.filter(({ path }) => path.endsWith("/jobs/c-28401130")).length;
  const noted = (): readonly string[] =>
    server
      .objects(cronJobsPath)
      .flatMap(({ status }) => (status as { active?: readonly { name: string }[] }).active ?? [])
      .map(({ name }) => name);
  // The second time it asks, the answer of the first has had its effect.
  await vi.waitFor(
    () => {
      clock.advance(20);
      expect(asked()).toBeGreaterThan(1);
    },
    { timeout: 20_000 },
  );
  await vi.waitFor(() => expect(noted()).toEqual(want), { timeout: 20_000 });
});
