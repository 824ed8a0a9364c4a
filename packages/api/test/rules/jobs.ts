import { cronJobs } from "../../src/batch/v1/cron-job.ts";
import { jobs } from "../../src/batch/v1/job.ts";
import { without } from "../support.ts";
import { notNegative } from "../workloads.ts";
import { rulesOf } from "./rule.ts";

const { rule, no, ok, fixed, free, noStatus } = rulesOf("Job", jobs);
const spec = (more: object): object => ({ spec: more });
const pod = (more: object): object => spec({ template: { spec: more } });
const indexed = (more: object): object => spec({ completionMode: "Indexed", completions: 3, parallelism: 3, ...more });
const failure = (...rules: readonly object[]): object => spec({ podFailurePolicy: { rules } });
const rules0 = "spec.podFailurePolicy.rules[0]";
const codes = (more: object): object =>
  failure({ action: "FailJob", onExitCodes: { operator: "In", values: [1], ...more }, onPodConditions: [] });
const conditions = (more: object): object =>
  failure({ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True", ...more }] });
const tracking = "batch.orchernetes.io/job-tracking";

export const jobRules = [
  rule(
    "metadata.name",
    no(
      { metadata: { name: "a.b" }, ...indexed({}) },
      'metadata.name: Invalid value: "a.b": will not able to create pod with invalid DNS label: a.b-2',
    ),
  ),
  rule(
    "spec.selector",
    no(spec({ manualSelector: true }), "spec.selector: Required value"),
    no(
      spec({ selector: { matchLabels: { a: "b" } } }),
      /^spec\.selector: Invalid value: .*: `selector` not auto-generated$/,
    ),
    fixed(
      {},
      spec({ selector: { matchLabels: { "controller-uid": "other" } } }),
      /^spec\.selector: Invalid value: .*: field is immutable$/,
    ),
  ),
  rule(
    "spec.parallelism, completions, backoffLimit, activeDeadlineSeconds, ttlSecondsAfterFinished",
    ...["parallelism", "completions", "backoffLimit", "activeDeadlineSeconds", "ttlSecondsAfterFinished"].map((name) =>
      no(spec({ [name]: -1 }), notNegative(`spec.${name}`)),
    ),
  ),
  rule(
    "spec.completionMode",
    no(
      spec({ completionMode: "Odd" }),
      'spec.completionMode: Unsupported value: "Odd": supported values: "NonIndexed", "Indexed"',
    ),
    no(
      spec({ completionMode: "Indexed", parallelism: 1 }),
      "spec.completions: Required value: when completion mode is Indexed",
    ),
    no(
      indexed({ parallelism: 100001 }),
      "spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed",
    ),
    fixed(
      spec({ completions: 1 }),
      spec({ completionMode: "Indexed" }),
      'spec.completionMode: Invalid value: "Indexed": field is immutable',
    ),
  ),
  rule(
    "spec.completions",
    fixed(spec({ completions: 1 }), spec({ completions: 2 }), "spec.completions: Invalid value: 2: field is immutable"),
    free(indexed({}), spec({ completions: 4, parallelism: 4 })),
    fixed(
      indexed({}),
      spec({ completions: 4 }),
      /^spec\.completions: Invalid value: 4: can only be modified in tandem with /,
    ),
    fixed(
      indexed({}),
      spec({ completions: 4, parallelism: 4 }),
      "spec.completions: Invalid value: 4: field is immutable",
      without("ElasticIndexedJob"),
    ),
  ),
  rule(
    "spec.template",
    fixed({}, pod({ nodeSelector: { a: "b" } }), /^spec\.template: Invalid value: .*: field is immutable$/),
    free(spec({ suspend: true }), {
      spec: {
        template: {
          metadata: { annotations: { a: "b" } },
          spec: { nodeSelector: { a: "b" }, tolerations: [{ operator: "Exists" }] },
        },
      },
    }),
  ),
  rule(
    "spec.template.spec.restartPolicy",
    no(
      pod({ restartPolicy: "Always" }),
      'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ),
    no(
      { spec: { template: { spec: { restartPolicy: "OnFailure" } }, podFailurePolicy: { rules: [] } } },
      'spec.template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified',
    ),
  ),
  rule(
    "spec.podFailurePolicy.rules",
    no(
      failure(
        ...Array.from({ length: 21 }, () => ({ action: "Ignore", onPodConditions: [{ type: "A", status: "True" }] })),
      ),
      "spec.podFailurePolicy.rules: Too many: 21: must have at most 20 items",
    ),
    no(
      failure({ action: "Odd", onPodConditions: [] }),
      `${rules0}.action: Unsupported value: "Odd": supported values: "Count", "FailJob", "Ignore"`,
    ),
    no(
      failure({ action: "Ignore", onPodConditions: [] }),
      /^.*rules\[0\]: Invalid value: .*: specifying one of OnExitCodes and OnPodConditions is required$/,
    ),
    fixed({}, conditions({}), /^spec\.podFailurePolicy: Invalid value: .*: field is immutable$/),
  ),
  rule(
    "podFailurePolicy onExitCodes",
    no(
      codes({ operator: "Odd" }),
      `${rules0}.onExitCodes.operator: Unsupported value: "Odd": supported values: "In", "NotIn"`,
    ),
    no(codes({ values: [0] }), `${rules0}.onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator`),
    no(codes({ values: [2, 1] }), /^.*onExitCodes\.values: Invalid value: .*: must be ordered$/),
    no(codes({ values: [1, 1] }), `${rules0}.onExitCodes.values[1]: Duplicate value: 1`),
    no(codes({ values: [] }), /^.*onExitCodes\.values: Invalid value: .*: at least one value is required$/),
    no(
      codes({ containerName: "x" }),
      `${rules0}.onExitCodes.containerName: Invalid value: "x": must be one of the container or initContainer names in the pod template`,
    ),
  ),
  rule(
    "podFailurePolicy onPodConditions",
    ok(conditions({})),
    no(
      conditions({ status: "Odd" }),
      `${rules0}.onPodConditions[0].status: Unsupported value: "Odd": supported values: "False", "True", "Unknown"`,
    ),
    no(conditions({ type: "-" }), /^.*onPodConditions\[0\]\.type: Invalid value: "-": name part must/),
  ),
  rule(
    "annotation batch.orchernetes.io/job-tracking",
    no(
      { metadata: { annotations: { [tracking]: "" } } },
      `metadata.annotations[${tracking}]: Forbidden: cannot add this annotation`,
    ),
  ),
  rule(
    "status",
    noStatus({ active: -1 }, notNegative("status.active")),
    noStatus(
      { uncountedTerminatedPods: { succeeded: ["a", "a"] } },
      'status.uncountedTerminatedPods.succeeded[1]: Duplicate value: "a"',
    ),
    noStatus(
      { uncountedTerminatedPods: { failed: [""] } },
      'status.uncountedTerminatedPods.failed[0]: Invalid value: "": must not be empty',
    ),
  ),
];

const c = rulesOf("CronJob", cronJobs);
const job = (more: object): object => spec({ jobTemplate: { spec: more } });
const zone = (timeZone: string): object => spec({ timeZone });
export const cronJobRules = [
  c.rule(
    "metadata.name",
    c.no(
      { metadata: { name: "x".repeat(53) } },
      /^metadata\.name: Invalid value: "x+": must be no more than 52 characters$/,
    ),
  ),
  c.rule(
    "spec.schedule",
    c.no(spec({ schedule: "" }), "spec.schedule: Required value"),
    c.no(spec({ schedule: "* *" }), 'spec.schedule: Invalid value: "* *": expected exactly 5 fields, found 2: [* *]'),
    c.ok(spec({ schedule: "@hourly" })),
    c.no(
      spec({ schedule: "TZ=UTC 0 * * * *" }),
      'spec.schedule: Invalid value: "TZ=UTC 0 * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ),
  ),
  c.rule(
    "spec.timeZone",
    c.ok(zone("Europe/Berlin")),
    c.no(zone(""), 'spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string'),
    c.no(zone("Local"), /^spec\.timeZone: Invalid value: "Local": timeZone must be an explicit time zone/),
    c.no(zone("No/Where"), 'spec.timeZone: Invalid value: "No/Where": unknown time zone No/Where'),
  ),
  c.rule(
    "spec.concurrencyPolicy",
    c.no(
      spec({ concurrencyPolicy: "Odd" }),
      'spec.concurrencyPolicy: Unsupported value: "Odd": supported values: "Allow", "Forbid", "Replace"',
    ),
  ),
  c.rule(
    "spec.startingDeadlineSeconds, successfulJobsHistoryLimit, failedJobsHistoryLimit",
    ...["startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit"].map((name) =>
      c.no(spec({ [name]: -1 }), notNegative(`spec.${name}`)),
    ),
  ),
  c.rule(
    "spec.jobTemplate.spec",
    c.no(
      job({ selector: {} }),
      /^spec\.jobTemplate\.spec\.selector: Invalid value: .*: `selector` will be auto-generated$/,
    ),
    c.no(
      job({ manualSelector: true }),
      'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
    ),
    c.no(
      job({ template: { spec: { restartPolicy: "Always" } } }),
      /^.*restartPolicy: Required value: valid values: "OnFailure", "Never"$/,
    ),
  ),
];
