import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { failedStart } from "@orchernetes/testkit";
import { createSelfSignedPair } from "@orchernetes/tls";
import { afterAll, expect, test } from "vitest";

const dir = mkdtempSync(join(tmpdir(), "kcm-errors-"));
afterAll(() => rmSync(dir, { recursive: true }));
const file = (name: string, text: string): string => {
  const path = join(dir, name);
  writeFileSync(path, text);
  return path;
};
const pair = await createSelfSignedPair({ hosts: ["a"] });
const other = await createSelfSignedPair({ hosts: ["b"] });
const crt = file("a.crt", pair.certPem);
const otherKey = file("b.key", other.keyPem);
const junk = file("junk.pem", "junk");
const broken = file("broken.yaml", "a: [");
const base64 = (text: string) => Buffer.from(text).toString("base64");
const clientOf = (cluster: object, user: object) =>
  JSON.stringify({
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1", ...cluster } }],
    users: [{ name: "u", user }],
  });
const client = file(
  "client.json",
  clientOf(
    { "certificate-authority": junk },
    { "client-certificate": crt, "client-key-data": base64(other.keyPem), tokenFile: "/gone/token" },
  ),
);
const mismatched = file(
  "mismatched.json",
  clientOf({ "certificate-authority": junk }, { "client-certificate": crt, "client-key-data": base64(other.keyPem) }),
);
const gone = (flag: string, path: string) =>
  new RegExp(`^--${flag}: "${path}": cannot be read|^--${flag}: "${path}" cannot be read: ENOENT.*; want a readable`);

test.each<[string, readonly string[], readonly RegExp[]]>([
  [
    "errors of all kinds",
    [
      "--bogus",
      "--secure-port=99999",
      "--orch-api-qps=x",
      "--port=0",
      "--master=foo",
      `--orchconfig=${client}`,
      `--authentication-orchconfig=${mismatched}`,
      "--authorization-orchconfig=/gone/authorization.conf",
      `--tls-cert-file=${crt}`,
      `--tls-private-key-file=${otherKey}`,
      `--tls-sni-cert-key=/gone/sni.crt,${otherKey}`,
      "--client-ca-file=/gone/ca.crt",
      `--requestheader-client-ca-file=${junk}`,
      `--root-ca-file=${junk}`,
      "--service-account-private-key-file=/gone/sa.key",
      "--cluster-signing-cert-file=/gone/signer.crt",
      `--leader-migration-config=${broken}`,
      "--cloud-config=/gone/cloud.conf",
      "--pv-recycler-pod-template-filepath-nfs=/gone/pod.yaml",
      "--leader-elect-lease-duration=5s",
      "--controllers=nope",
      "--feature-gates=Nope=true",
    ],
    [
      /^unknown flag --bogus; see --help/,
      /^unknown flag --port; /,
      /^invalid value "99999" for flag --secure-port: want 0 to 65535$/,
      /^invalid value "foo" for flag --master: want a URL such as https:/,
      /^invalid value "x" for flag --orch-api-qps: want a number/,
      /^--orchconfig: ".*client.json": users\["u"\].user.tokenFile: cannot read "\/gone\/token": no such file/,
      /^--authentication-orchconfig: ".*mismatched.json", certificate-authority ".*junk.pem": no certificate found; want PEM/,
      /^--authentication-orchconfig: ".*mismatched.json", client-key: the private key does not belong to/,
      gone("authorization-orchconfig", "/gone/authorization.conf"),
      /^--tls-private-key-file: ".*b.key": the private key does not belong to .*a.crt"; want/,
      gone("tls-sni-cert-key", "/gone/sni.crt"),
      gone("client-ca-file", "/gone/ca.crt"),
      /^--requestheader-client-ca-file: ".*junk.pem": no certificate found; want PEM/,
      /^--root-ca-file: ".*junk.pem": no certificate found; want PEM/,
      gone("service-account-private-key-file", "/gone/sa.key"),
      gone("cluster-signing-cert-file", "/gone/signer.crt"),
      /^--cluster-signing-key-file: not given, but --cluster-signing-cert-file is "\/gone\/signer.crt"; want both or/,
      /^--leader-migration-config: ".*broken.yaml": Flow sequence .*; want valid YAML or JSON/,
      gone("cloud-config", "/gone/cloud.conf"),
      /^invalid value "\/gone\/pod.yaml" for flag --pv-recycler-pod-template-filepath-nfs: ENOENT/,
      /^invalid value "5s" for flag --leader-elect-lease-duration: want more than --leader-elect-renew-deadline, which is/,
      /^invalid value "nope" for flag --controllers: want/,
      /^--feature-gates: unrecognized feature gate: Nope/,
    ],
  ],
  ["no server, no cluster", [], [/^--orchconfig: not in a cluster: ORCHERNETES_SERVICE_HOST and /]],
  ["a mistyped flag says nothing about the one that was meant", ["--orchconfg=/x"], [/; did you mean --orchconfig\?$/]],
])("%s: the daemon prints one line for each error, and exits with code 1", (_, flags, wanted) => {
  const { code, stdout, errors } = failedStart("orch-controller-manager", flags);
  expect([code, stdout]).toEqual([1, ""]);
  for (const want of wanted) expect(errors).toContainEqual(expect.stringMatching(want));
  expect(errors).toHaveLength(wanted.length);
});
