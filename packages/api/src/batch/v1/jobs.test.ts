import { describe, expect, test } from "vitest";
import { create, defaulted, merged, row, subresourceStrategy, update } from "../../../test/support.ts";
import { container, notNegative } from "../../../test/workloads.ts";
import { cronJobs } from "./cron-job.ts";
import { jobs } from "./job.ts";

const template = { spec: { restartPolicy: "Never", containers: [container] } };
const job = (spec: object = {}, metadata: object = {}): object => ({
  metadata: { name: "j", ...metadata },
  spec: { template, ...spec },
});
const generated = {
  "batch.orchernetes.io/controller-uid": "u1",
  "batch.orchernetes.io/job-name": "j",
  "controller-uid": "u1",
  "job-name": "j",
};

describe("jobs", () => {
  test("defaults", () => {
    const body = { parallelism: 1, completions: 1, backoffLimit: 6, completionMode: "NonIndexed", suspend: false };
    expect(defaulted(jobs, job()).spec).toMatchObject(body);
    expect(defaulted(jobs, job({ parallelism: 3 })).spec.completions).toBeUndefined();
  });

  test("selector and labels come from uid and name", () => {
    const { object, errors } = create(jobs, job());
    expect(errors).toEqual([]);
    expect(object.spec.selector).toEqual({ matchLabels: { "batch.orchernetes.io/controller-uid": "u1" } });
    expect(object.spec.template.metadata.labels).toEqual(generated);
    expect(object.metadata.labels).toEqual(generated);
  });

  test("a manual selector is not changed", () => {
    const labels = { a: "b" };
    const manual = {
      manualSelector: true,
      selector: { matchLabels: labels },
      template: { ...template, metadata: { labels } },
    };
    const { object, errors } = create(jobs, job(manual));
    expect({ errors, labels: object.spec.template.metadata.labels }).toEqual({ errors: [], labels });
  });

  const rule = (patch: object): object => ({ podFailurePolicy: { rules: [{ action: "FailJob", ...patch }] } });
  test.each<[name: string, spec: object, errors: string[]]>([
    [
      "foreign uid label",
      { template: { ...template, metadata: { labels: { "batch.orchernetes.io/controller-uid": "u2" } } } },
      [
        `spec.template.metadata.labels[batch.orchernetes.io/controller-uid]: Invalid value: map[string]string{"batch.orchernetes.io/controller-uid":"u2", "batch.orchernetes.io/job-name":"j", "controller-uid":"u1", "job-name":"j"}: must be 'u1'`,
        `spec.template.metadata.labels: Invalid value: map[string]string{"batch.orchernetes.io/controller-uid":"u2", "batch.orchernetes.io/job-name":"j", "controller-uid":"u1", "job-name":"j"}: \`selector\` does not match template \`labels\``,
      ],
    ],
    [
      "foreign uid label of older clients",
      { template: { ...template, metadata: { labels: { "controller-uid": "u2" } } } },
      [
        `spec.template.metadata.labels[controller-uid]: Invalid value: map[string]string{"batch.orchernetes.io/controller-uid":"u1", "batch.orchernetes.io/job-name":"j", "controller-uid":"u2", "job-name":"j"}: must be 'u1'`,
      ],
    ],
    ["negative time to live", { ttlSecondsAfterFinished: -1 }, [notNegative("spec.ttlSecondsAfterFinished")]],
    [
      "Indexed without completions",
      { completionMode: "Indexed", parallelism: 1 },
      ["spec.completions: Required value: when completion mode is Indexed"],
    ],
    [
      "exit code 0",
      rule({ onExitCodes: { operator: "In", values: [3, 0, 3] } }),
      [
        "spec.podFailurePolicy.rules[0].onExitCodes.values[1]: Invalid value: 0: must not be 0 for the In operator",
        "spec.podFailurePolicy.rules[0].onExitCodes.values[2]: Duplicate value: 3",
        "spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [3,0,3]: must be ordered",
      ],
    ],
    ["pod conditions", rule({ onPodConditions: [{ type: "DisruptionTarget" }] }), []],
  ])("create: %s", (_name, spec, errors) => {
    expect(create(jobs, job(spec)).errors).toEqual(errors);
  });

  describe("update", () => {
    const stored = (spec: object = {}) => create(jobs, job(spec)).object;
    test.each<[name: string, old: object, patch: object, errors: string[]]>([
      ["parallelism", {}, { parallelism: 5, backoffLimit: 1 }, []],
      ["completions", {}, { completions: 3 }, ["spec.completions: Invalid value: 3: field is immutable"]],
      [
        "completions of an Indexed job",
        { completionMode: "Indexed", completions: 2 },
        { completions: 3, parallelism: 3 },
        [],
      ],
      [
        "completions changed without parallelism",
        { completionMode: "Indexed", completions: 2 },
        { completions: 3, parallelism: 1 },
        ["spec.completions: Invalid value: 3: can only be modified in tandem with spec.parallelism"],
      ],
      ["node selector while suspended", { suspend: true }, { template: { spec: { nodeSelector: { a: "b" } } } }, []],
    ])("%s", (_name, oldSpec, patch, errors) => {
      const old = stored(oldSpec);
      expect(update(jobs, old, merged(old, { spec: patch })).errors).toEqual(errors);
    });

    test("the template is immutable once pods may run", () => {
      const old = stored();
      const { errors } = update(jobs, old, merged(old, { spec: { template: { spec: { nodeSelector: { a: "b" } } } } }));
      expect(errors).toHaveLength(1);
      expect(errors[0]).toMatch(/^spec\.template: Invalid value: .*: field is immutable$/);
    });

    test("the status endpoint keeps the spec and checks its counts", () => {
      const old = stored();
      const input = merged(old, { spec: { parallelism: 9 }, status: { active: -1 } });
      const { object, errors } = update(jobs, old, input, subresourceStrategy(jobs, "status"));
      expect({ errors, parallelism: object.spec.parallelism }).toEqual({
        errors: [notNegative("status.active")],
        parallelism: 1,
      });
    });
  });

  test.each<[name: string, spec: object, status: object, cells: unknown[]]>([
    ["running", {}, { succeeded: 0, startTime: "2025-12-31T23:59:50Z" }, ["0/1", "10s"]],
    [
      "done",
      { completions: 2 },
      { succeeded: 2, startTime: "2025-12-31T00:00:00Z", completionTime: "2025-12-31T00:05:00Z" },
      ["2/2", "5m"],
    ],
    ["work queue", { parallelism: 3 }, {}, ["0/1 of 3", ""]],
  ])("row: %s", (_name, spec, status, cells) => {
    expect(row(jobs, { ...job(spec), status }).slice(1, 3)).toEqual(cells);
  });
});

describe("cronjobs", () => {
  const cronJob = (spec: object = {}, metadata: object = {}): object => ({
    metadata: { name: "c", ...metadata },
    spec: { schedule: "*/5 * * * *", jobTemplate: { spec: { template } }, ...spec },
  });

  test("defaults", () => {
    const body = {
      concurrencyPolicy: "Allow",
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    };
    const { spec } = defaulted(cronJobs, cronJob());
    expect(spec).toMatchObject(body);
    expect(spec.jobTemplate.spec.completions).toBeUndefined();
  });

  test.each<[name: string, spec: object, errors: string[]]>([
    ["nothing wrong", { timeZone: "Europe/Berlin" }, []],
    ["no schedule", { schedule: "" }, ["spec.schedule: Required value"]],
    [
      "four fields",
      { schedule: "* * * *" },
      ['spec.schedule: Invalid value: "* * * *": expected exactly 5 fields, found 4: [* * * *]'],
    ],
    [
      "zone in the schedule",
      { schedule: "TZ=UTC 0 * * * *" },
      [
        'spec.schedule: Invalid value: "TZ=UTC 0 * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
      ],
    ],
    ["unknown zone", { timeZone: "Nowhere" }, ['spec.timeZone: Invalid value: "Nowhere": unknown time zone Nowhere']],
    [
      "local zone",
      { timeZone: "Local" },
      [
        'spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
      ],
    ],
    [
      "unknown policy",
      { concurrencyPolicy: "Odd" },
      ['spec.concurrencyPolicy: Unsupported value: "Odd": supported values: "Allow", "Forbid", "Replace"'],
    ],
    ["negative", { failedJobsHistoryLimit: -1 }, [notNegative("spec.failedJobsHistoryLimit")]],
  ])("create: %s", (_name, spec, errors) => {
    expect(create(cronJobs, cronJob(spec)).errors).toEqual(errors);
  });

  test("names that are too long for the names of the jobs are rejected", () => {
    const name = "n".repeat(53);
    expect(create(cronJobs, cronJob({}, { name })).errors).toEqual([
      `metadata.name: Invalid value: "${name}": must be no more than 52 characters`,
    ]);
  });

  test("a time zone that is already in the stored schedule is accepted", () => {
    const old = create(cronJobs, cronJob({ schedule: "TZ=UTC 0 * * * *" })).object;
    expect(update(cronJobs, old, cronJob({ schedule: "TZ=UTC 1 * * * *" })).errors).toEqual([]);
  });

  test("row", () => {
    const object = {
      ...cronJob({ suspend: true }),
      status: { active: [{ name: "j" }], lastScheduleTime: "2025-12-31T23:00:00Z" },
    };
    expect(row(cronJobs, object)).toEqual([
      "c",
      "*/5 * * * *",
      "True",
      1,
      "60m",
      "<unknown>",
      "c",
      "localhost/busybox:1",
      "<none>",
    ]);
  });
});
