import { failedStart } from "@orchernetes/testkit";
import { expect, test } from "vitest";

const gone = (flag: string, path: string) => new RegExp(`^--${flag}: "${path}":? cannot be read: .*; (want|expected)`);

test.each<[string, readonly string[], readonly RegExp[]]>([
  [
    "errors of all kinds",
    [
      "--bogus",
      "--secure-port=99999",
      "--cloud-provider=aws",
      "--orchconfig=/gone/client",
      "--authentication-orchconfig=/gone/a",
      "--authorization-orchconfig=/gone/b",
      "--cloud-config=/gone/cloud.conf",
      "--tls-cert-file=/gone/tls.crt",
      "--client-ca-file=/dev/null",
      "--requestheader-client-ca-file=/gone/proxy.crt",
      "--leader-migration-config=/gone/migration.yaml",
      "--webhook-tls-private-key-file=/dev/null",
      "--feature-gates=Nope=true",
      "--leader-elect-lease-duration=5s",
      "--leader-elect-resource-name=",
    ],
    [
      /^unknown flag --bogus; see --help/,
      /^invalid value "99999" for flag --secure-port: want 0 to 65535$/,
      /^unknown cloud provider "aws" for flag --cloud-provider: want --cloud-provider=/,
      gone("orchconfig", "/gone/client"),
      gone("authentication-orchconfig", "/gone/a"),
      gone("authorization-orchconfig", "/gone/b"),
      gone("cloud-config", "/gone/cloud.conf"),
      gone("tls-cert-file", "/gone/tls.crt"),
      /^--tls-private-key-file: not given, but --tls-cert-file is "\/gone\/tls.crt"; want both or neither$/,
      /^--client-ca-file: "\/dev\/null": no certificate found; want PEM/,
      gone("requestheader-client-ca-file", "/gone/proxy.crt"),
      gone("leader-migration-config", "/gone/migration.yaml"),
      /^--webhook-tls-private-key-file: "\/dev\/null": no private key found; want PEM/,
      /^--webhook-tls-cert-file: not given, but --webhook-tls-private-key-file is "\/dev\/null"; want both or neither$/,
      /^flag --feature-gates: unrecognized feature gate: Nope/,
      /^invalid value "5s" for flag --leader-elect-lease-duration: want more than --leader-elect-renew-deadline, which/,
      /^--leader-elect-resource-name: field Generic.LeaderElection.resourceName: invalid value ""; want it not empty$/,
    ],
  ],
])("%s: the daemon prints one line for each error, and exits with code 1", (_, flags, wanted) => {
  const { code, stdout, errors } = failedStart("cloud-controller-manager", flags);
  expect([code, stdout]).toEqual([1, ""]);
  for (const want of wanted) expect(errors).toContainEqual(expect.stringMatching(want));
  expect(errors).toHaveLength(wanted.length);
});
