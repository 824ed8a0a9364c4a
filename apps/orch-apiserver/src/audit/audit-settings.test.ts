import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NamedFiles, parseFlags } from "@orchernetes/component";
import type { AuditPolicyConfiguration } from "@orchernetes/config";
import { expect, test } from "vitest";
import { apiserverFlags, type Flags } from "../flags/index.ts";
import { auditSettings, auditWarnings, checkAuditLog } from "./audit-settings.ts";

const program = { name: "orch-apiserver", description: "x", version: { text: "v", raw: "v" } };

function flagsOf(...argv: readonly string[]): Flags {
  const result = parseFlags(program, apiserverFlags, argv);
  if (result.type !== "run") throw new Error(`expected flags, found ${result.type}`);
  return result.flags;
}

type Rule = AuditPolicyConfiguration["rules"][number];

const policyOf = (omitStages: Rule["omitStages"] = [], rules: readonly Partial<Rule>[] = []) =>
  ({ omitStages, rules, omitManagedFields: false }) as unknown as AuditPolicyConfiguration;

function settingsOf(argv: readonly string[], policy: AuditPolicyConfiguration | undefined = policyOf()) {
  const errors: string[] = [];
  const settings = auditSettings(flagsOf(...argv), policy, (flag, text) => errors.push(`${flag}: ${text}`));
  return { settings, errors };
}

const log = "--audit-log-path=/var/log/audit.log";
const webhook = "--audit-webhook-config-file=/etc/hook.yaml";
const megabyte = 1024 * 1024;

test.each<readonly [string, readonly string[], boolean, boolean]>([
  ["no backend", [], false, false],
  ["a log", [log], true, false],
  ["a webhook", [webhook], false, true],
  ["both", [log, webhook], true, true],
  ["standard output", ["--audit-log-path=-"], true, false],
])("%s", (_, argv, hasLog, hasWebhook) => {
  const { settings } = settingsOf(argv);
  expect([settings?.log !== undefined, settings?.webhook !== undefined]).toEqual([hasLog, hasWebhook]);
  const errors: string[] = [];
  expect(auditSettings(flagsOf(...argv), undefined, (flag) => errors.push(flag))).toBeUndefined();
  expect(errors).toEqual([]);
});

test.each<readonly [string, readonly string[], object]>([
  [
    "the defaults",
    [],
    {
      mode: { type: "blocking", strict: false },
      maxEventBytes: undefined,
      format: "json",
      maxBytes: 100 * megabyte,
      maxBackups: 0,
      maxAgeDays: 0,
      compress: false,
    },
  ],
  ["strict", ["--audit-log-mode=blocking-strict"], { mode: { type: "blocking", strict: true } }],
  ["legacy", ["--audit-log-format=legacy"], { format: "legacy" }],
  ["a size", ["--audit-log-maxsize=1"], { maxBytes: megabyte }],
  ["size 0", ["--audit-log-maxsize=0"], { maxBytes: 100 * megabyte }],
  [
    "rotation",
    ["--audit-log-maxbackup=3", "--audit-log-maxage=7", "--audit-log-compress"],
    { maxBackups: 3, maxAgeDays: 7, compress: true },
  ],
  ["truncation", ["--audit-log-truncate-enabled", "--audit-log-truncate-max-event-size=10"], { maxEventBytes: 10 }],
  ["truncation that is off", ["--audit-log-truncate-max-event-size=10"], { maxEventBytes: undefined }],
  [
    "batches",
    [
      "--audit-log-mode=batch",
      "--audit-log-batch-max-size=5",
      "--audit-log-batch-buffer-size=7",
      "--audit-log-batch-max-wait=2s",
    ],
    { mode: { type: "batch", bufferSize: 7, maxSize: 5, maxWaitMs: 2000, throttle: undefined, maxBytes: undefined } },
  ],
  [
    "batches that are throttled",
    [
      "--audit-log-mode=batch",
      "--audit-log-batch-throttle-enable",
      "--audit-log-batch-throttle-qps=0.5",
      "--audit-log-batch-throttle-burst=2",
    ],
    { mode: { type: "batch", throttle: { qps: 0.5, burst: 2 } } },
  ],
  [
    "batches of limited size",
    [
      "--audit-log-mode=batch",
      "--audit-log-truncate-enabled",
      "--audit-log-truncate-max-event-size=9",
      "--audit-log-truncate-max-batch-size=9",
    ],
    { mode: { type: "batch", maxBytes: 9 }, maxEventBytes: 9 },
  ],
])("log: %s", (_, argv, want) => {
  const { settings, errors } = settingsOf([log, ...argv]);
  expect(errors).toEqual([]);
  expect(settings?.log).toMatchObject({ path: "/var/log/audit.log", ...want });
});

test("a webhook gets batches, throttled, by default", () => {
  expect(settingsOf([webhook]).settings?.webhook).toEqual({
    configFile: "/etc/hook.yaml",
    initialBackoffMs: 10_000,
    maxEventBytes: undefined,
    mode: {
      type: "batch",
      bufferSize: 10_000,
      maxSize: 400,
      maxWaitMs: 30_000,
      throttle: { qps: 10, burst: 15 },
      maxBytes: undefined,
    },
  });
});

test.each([
  [["--audit-webhook-initial-backoff=3s"], 3000],
  [["--audit-webhook-batch-initial-backoff=4s"], 4000],
  [["--audit-webhook-initial-backoff=3s", "--audit-webhook-batch-initial-backoff=4s"], 3000],
  [["--audit-webhook-initial-backoff=10s", "--audit-webhook-batch-initial-backoff=4s"], 4000],
])("back-off by %j: %i ms", (argv, want) => {
  expect(settingsOf([webhook, ...argv]).settings?.webhook?.initialBackoffMs).toBe(want);
});

test.each(["audit-log", "audit-webhook"])(
  "%s: limits of batches are positive, and not below those of events",
  (prefix) => {
    const backend = prefix === "audit-log" ? log : webhook;
    const positive = (name: string) =>
      `${prefix}-batch-${name}: found 0; with --${prefix}-mode=batch it must be more than 0`;
    const zero = (name: string) => `--${prefix}-batch-${name}=0`;
    const names = ["buffer-size", "max-size", "throttle-qps", "throttle-burst"];
    const all = [...names.map(zero), `--${prefix}-batch-throttle-enable=true`];
    expect(settingsOf([backend, `--${prefix}-mode=batch`, ...all]).errors).toEqual(names.map(positive));
    expect(
      settingsOf([backend, `--${prefix}-mode=batch`, ...all, `--${prefix}-batch-throttle-enable=false`]).errors,
    ).toEqual(names.slice(0, 2).map(positive));
    expect(settingsOf([backend, `--${prefix}-mode=blocking`, ...all]).errors).toEqual([]);
    const sizes = [`--${prefix}-truncate-max-event-size=11`, `--${prefix}-truncate-max-batch-size=10`];
    expect(settingsOf([backend, ...sizes]).errors).toEqual([]);
    expect(settingsOf([backend, ...sizes, `--${prefix}-truncate-enabled`]).errors).toEqual([
      `${prefix}-truncate-max-batch-size: found 10; it must be at least --${prefix}-truncate-max-event-size, which is 11`,
    ]);
    expect(settingsOf([...sizes, `--${prefix}-truncate-enabled`]).errors).toEqual([]);
  },
);

const policyFile = "--audit-policy-file=/etc/policy.yaml";
const strict = ["--audit-log-mode=blocking-strict", "--audit-webhook-mode=blocking-strict"];
const omits = policyOf(["RequestReceived"]);
const rule = (level: string) => policyOf([], [{ level, omitStages: ["RequestReceived"] } as Partial<Rule>]);

test.each<readonly [string, readonly string[], AuditPolicyConfiguration | undefined, readonly string[]]>([
  ["nothing is given", [], undefined, []],
  ["all is well", [policyFile, log], policyOf(), []],
  ["a log without a policy", [log], undefined, ["--audit-log-path is given without --audit-policy-file"]],
  ["a webhook without a policy", [webhook], undefined, ["--audit-webhook-config-file is given without"]],
  ["a policy alone", [policyFile], policyOf(), ["--audit-policy-file is given without --audit-log-path"]],
  ["strict, with the stage", [policyFile, log, ...strict], policyOf(["ResponseComplete"]), []],
  ["strict, without the stage", [policyFile, log, ...strict], omits, ["--audit-log-mode=blocking-strict"]],
  ["both strict", [policyFile, log, webhook, ...strict], omits, ["--audit-log-mode", "--audit-webhook-mode"]],
  ["not strict", [policyFile, log], omits, []],
  ["strict by a rule", [policyFile, webhook, ...strict], rule("Metadata"), ["--audit-webhook-mode=blocking-strict"]],
  ["a rule that records nothing", [policyFile, log, ...strict], rule("None"), []],
  ["a policy that could not be read", [policyFile, log, ...strict], undefined, []],
])("warnings: %s", (_, argv, document, want) => {
  expect(auditWarnings(flagsOf(...argv), document)).toEqual(want.map((one) => expect.stringContaining(one)));
});

test("the log is a file in a folder that can be written", async () => {
  const folder = mkdtempSync(join(tmpdir(), "audit-settings-"));
  const errorsOf = async (path: string) => {
    const files = new NamedFiles();
    await checkAuditLog(flagsOf(`--audit-log-path=${path}`), files);
    return files.errors;
  };
  try {
    for (const path of ["", "-", join(folder, "audit.log")]) expect(await errorsOf(path)).toEqual([]);
    expect(await errorsOf(folder)).toEqual([
      `--audit-log-path: ${JSON.stringify(folder)} is a directory; want a file, or - for standard output`,
    ]);
    expect(await errorsOf("/dev/null/audit.log")).toEqual([expect.stringContaining("--audit-log-path")]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
