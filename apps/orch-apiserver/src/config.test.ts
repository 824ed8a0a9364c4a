import { type ConfigurationError, parseFlags } from "@orchernetes/component";
import { expect, test } from "vitest";
import { completeConfig } from "./config.ts";
import { apiserverFlags } from "./flags/index.ts";

const program = { name: "orch-apiserver", description: "x", version: { text: "v", raw: "v" } };

/** The configuration of a command line, or what is wrong with it. */
async function configure(...argv: readonly string[]) {
  const parsed = parseFlags(program, apiserverFlags, ["--etcd-servers=http://127.0.0.1:1", ...argv]);
  if (parsed.type !== "run") throw new Error(JSON.stringify(parsed));
  return completeConfig(parsed.flags).then(
    (config) => ({ config, errors: [] }),
    (error: ConfigurationError) => ({ config: undefined, errors: error.errors }),
  );
}

test.each<[string, readonly string[], readonly string[]]>([
  ["none", [], ["https://orchernetes.default.svc"]],
  ["by comma", ["--service-account-issuer=https://new,https://old"], ["https://new", "https://old"]],
  [
    "repeated",
    ["--service-account-issuer=https://new", "--service-account-issuer=https://old"],
    ["https://new", "https://old"],
  ],
  ["both", ["--service-account-issuer=a,b", "--service-account-issuer=c"], ["a", "b", "c"]],
])("issuers of service account tokens: %s", async (_name, argv, issuers) => {
  const { config } = await configure(...argv);
  expect(config?.serviceAccounts).toMatchObject({ issuers, audiences: issuers });
});

test("named audiences stay", async () => {
  const { config } = await configure("--service-account-issuer=a,b", "--api-audiences=x");
  expect(config?.serviceAccounts.audiences).toEqual(["x"]);
});

test.each<[string, RegExp]>([
  ["--service-account-issuer=https://a,:b", /--service-account-issuer: found ":b".*want a URL/],
  ["--service-account-issuer=https://", /found "https:\/\/".*want a URL/],
  ["--service-account-issuer=a,,b", /--service-account-issuer: found an empty name/],
  ["--service-account-issuer=a,b,a", /"a" is given more than once/],
])("%s is refused", async (flag, want) => {
  expect((await configure(flag)).errors).toEqual([expect.stringMatching(want)]);
});

const none = ["--max-requests-inflight=0", "--max-mutating-requests-inflight=0"];
test("two in-flight limits of 0 are rejected with priority and fairness, which could serve no request", async () => {
  expect((await configure(...none)).errors).toEqual([
    expect.stringMatching(/--max-requests-inflight: found 0, as for --max-mutating-requests-inflight/),
  ]);
  expect((await configure("--max-requests-inflight=0")).errors).toEqual([]);
  expect((await configure(...none, "--enable-priority-and-fairness=false")).errors).toEqual([]);
});
