import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { failedStart } from "@orchernetes/testkit";
import { afterAll, expect, test } from "vitest";

const dir = mkdtempSync(join(tmpdir(), "scheduler-errors-"));
afterAll(() => rmSync(dir, { recursive: true }));
const file = (name: string, text: string): string => {
  const path = join(dir, name);
  writeFileSync(path, text);
  return path;
};
const junk = file("junk.pem", "junk");
const head = "apiVersion: orchscheduler.config.o8s.io/v1\nkind: OrchSchedulerConfiguration\n";
const badFields = file("fields.yaml", `${head}x: 1\nparallelism: 0\npercentageOfNodesToScore: 101\n`);
const badClient = file("client.yaml", `${head}clientConnection: {orchconfig: /gone/client}\n`);
const gone = (flag: string, path: string) => new RegExp(`^--${flag}: "${path}":? cannot be read: .*; (want|expected)`);

test.each<[string, readonly string[], readonly RegExp[]]>([
  [
    "flags, values and absent files",
    ["--secure-port=99999", "--bogus", "--config=/nope", "--orchconfig=/nope2", "--client-ca-file=/nope3"],
    [
      /^unknown flag --bogus; see --help/,
      /^invalid value "99999" for flag --secure-port: want 0 to 65535$/,
      /^--config: file "\/nope" cannot be read: ENOENT.*; want a readable YAML or JSON file$/,
      gone("orchconfig", "/nope2"),
      gone("client-ca-file", "/nope3"),
    ],
  ],
  [
    "fields of the file and malformed files",
    [
      `--config=${badFields}`,
      "--authentication-orchconfig=/gone/a",
      "--authorization-orchconfig=/gone/b",
      `--requestheader-client-ca-file=${junk}`,
      `--tls-cert-file=${junk}`,
      "--tls-private-key-file=/gone/key",
      `--tls-sni-cert-key=/gone/sni.crt,${junk}`,
      "--feature-gates=Nope=true",
      `--write-config-to=${junk}/x`,
      "--profiling=true",
    ],
    [
      /^--config: file ".*fields.yaml", field x: unknown field$/,
      /^--config: file ".*fields.yaml", field parallelism: invalid value 0; should be an integer value greater than zero$/,
      /^--config: file ".*fields.yaml", field percentageOfNodesToScore: invalid value 101; not in valid range \[0-100\]$/,
      gone("authentication-orchconfig", "/gone/a"),
      gone("authorization-orchconfig", "/gone/b"),
      /^--requestheader-client-ca-file: ".*junk.pem": no certificate found; want PEM/,
      /^--tls-cert-file: ".*junk.pem": no certificate found; want PEM/,
      gone("tls-private-key-file", "/gone/key"),
      gone("tls-sni-cert-key", "/gone/sni.crt"),
      /^--tls-sni-cert-key: ".*junk.pem": no private key found; want PEM/,
      /^--feature-gates: unrecognized feature gate: Nope/,
      /^--write-config-to: ".*junk.pem" cannot be used: ".*junk.pem" is no directory; want a directory/,
    ],
  ],
  [
    "a file that the configuration file names, and an empty name from a flag",
    [`--config=${badClient}`, "--leader-elect-resource-name=", "--tls-min-version=9", "--master=foo"],
    [
      /^invalid value "foo" for flag --master: want a URL such as https:/,
      /^invalid value "9" for flag --tls-min-version: want one of/,
      /^--leader-elect-resource-name: field leaderElection.resourceName: invalid value ""; want it not empty$/,
      /^--config: file ".*client.yaml", field clientConnection.orchconfig: "\/gone\/client": cannot be read: /,
    ],
  ],
  [
    "a file that the configuration file names",
    [`--config=${badClient}`],
    [
      /^--config: file ".*client.yaml", field clientConnection.orchconfig: "\/gone\/client": cannot be read: .*; expected/,
    ],
  ],
  [
    "times that do not fit each other, and no cluster",
    ["--leader-elect-lease-duration=5s", "--leader-elect-retry-period=9s"],
    [
      /^--orchconfig: not in a cluster: ORCHERNETES_SERVICE_HOST and/,
      /^invalid value "5s" for flag --leader-elect-lease-duration: want more than --leader-elect-renew-deadline, which/,
      /^invalid value "10s" for flag --leader-elect-renew-deadline: want more than 1.2 times --leader-elect-retry-period/,
    ],
  ],
])("%s: the daemon prints one line for each error, and exits with code 1", (_, flags, wanted) => {
  const { code, stdout, errors } = failedStart("orch-scheduler", flags);
  expect([code, stdout]).toEqual([1, ""]);
  for (const want of wanted) expect(errors).toContainEqual(expect.stringMatching(want));
  expect(errors).toHaveLength(wanted.length);
});

test("the help of the daemon names the commands", () => {
  const { code, stdout } = failedStart("orch-scheduler", ["--help"]);
  expect([code, stdout.replaceAll(/\s+/g, " ")]).toEqual([
    0,
    expect.stringContaining("The commands explain, snapshot and simulate say more with --help."),
  ]);
});
