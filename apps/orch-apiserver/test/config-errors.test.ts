import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { failedStart } from "@orchernetes/testkit";
import { createSelfSignedPair } from "@orchernetes/tls";
import { afterAll, expect, test } from "vitest";

const dir = mkdtempSync(join(tmpdir(), "api-errors-"));
afterAll(() => rmSync(dir, { recursive: true }));
const file = (name: string, text: string): string => {
  const path = join(dir, name);
  writeFileSync(path, text);
  return path;
};

const webhooks = (orchConfigFile: string) => ({
  configuration: { apiVersion: "apiserver.config.o8s.io/v1", kind: "WebhookAdmissionConfiguration", orchConfigFile },
});
const admission = file(
  "admission.json",
  JSON.stringify({
    apiVersion: "apiserver.config.o8s.io/v1",
    kind: "AdmissionConfiguration",
    plugins: [
      { name: "MutatingAdmissionWebhook", ...webhooks(join(dir, "gone.conf")) },
      {
        name: "ValidatingAdmissionWebhook",
        ...webhooks(
          file("users.conf", '{users: [{name: "*", user: {client-certificate: gone.crt, client-key: gone.key}}]}'),
        ),
      },
    ],
  }),
);

test("errors of flags, values, absent and malformed files and fields of files are reported together, and nothing else", async () => {
  const pair = await createSelfSignedPair({ hosts: ["a"] });
  const other = await createSelfSignedPair({ hosts: ["b"] });
  const crt = file("a.crt", pair.certPem);
  const otherKey = file("b.key", other.keyPem);
  const junk = file("junk.pem", "junk");
  const tokens = file("tokens.csv", 'secret1,a\nsecret2,b,1,"open');
  const encryption = file("encryption.json", '{"kind":"EncryptionConfiguration","apiVersion":"x","resources":[{}]}');
  const tracing = file(
    "tracing.json",
    '{"apiVersion":"apiserver.config.o8s.io/v1beta1","kind":"TracingConfiguration","samplingRatePerMillion":-1,"x":1}',
  );
  const broken = file("broken.yaml", "a: [");
  const { code, stdout, errors } = failedStart("orch-apiserver", [
    "--bogus=1",
    "--secure-port=99999",
    "--enable-logs-handler=false",
    "--storage-backend=embedded",
    `--embedded-store-path=${crt}/store`,
    `--tls-cert-file=${crt}`,
    `--tls-private-key-file=${otherKey}`,
    `--tls-sni-cert-key=${crt},/gone/sni.key`,
    `--client-ca-file=${junk}`,
    "--requestheader-client-ca-file=/gone/proxy.crt",
    `--token-auth-file=${tokens}`,
    "--service-account-signing-key-file=/gone/sa.key",
    `--service-account-key-file=${junk}`,
    "--service-account-key-file=/gone/sa.pub",
    `--encryption-provider-config=${encryption}`,
    "--etcd-cafile=/gone/etcd.crt",
    `--etcd-certfile=${crt}`,
    `--orchlet-certificate-authority=${junk}`,
    "--orchlet-client-certificate=/gone/orchlet.crt",
    "--orchlet-client-key=/gone/orchlet.key",
    `--tracing-config-file=${tracing}`,
    "--proxy-client-cert-file=/gone/front.crt",
    "--oidc-ca-file=/gone/oidc.crt",
    `--egress-selector-config-file=${broken}`,
    "--audit-policy-file=/gone/policy.yaml",
    "--cloud-config=/gone/cloud.conf",
    "--feature-gates=Nope=true",
    "--service-node-port-range=9-1",
    "--service-cluster-ip-range=10.0.0.0",
  ]);
  expect([code, stdout]).toEqual([1, ""]);
  const gone = (flag: string, path: string) =>
    new RegExp(`^--${flag}: (file )?"${path}" cannot be read: ENOENT.*; want a readable`);
  const wanted = [
    /^unknown flag --bogus; see --help/,
    /^invalid value "99999" for flag --secure-port: want 1 to 65535$/,
    /^--feature-gates: unrecognized feature gate: Nope/,
    /^--embedded-store-path: ".*a.crt\/store" cannot be used: .*; want a directory/,
    /^--tls-private-key-file: ".*b.key": the private key does not belong to .*a.crt"; want/,
    gone("tls-sni-cert-key", "/gone/sni.key"),
    /^--client-ca-file: ".*junk.pem": no certificate found; want PEM/,
    gone("requestheader-client-ca-file", "/gone/proxy.crt"),
    /^--token-auth-file: ".*tokens.csv", line 1: found 2 fields; a line is token,/,
    /^--token-auth-file: ".*tokens.csv", line 2: a quoted field does not end; write/,
    gone("service-account-signing-key-file", "/gone/sa.key"),
    /^--service-account-key-file: ".*junk.pem": no key found; want PEM/,
    gone("service-account-key-file", "/gone/sa.pub"),
    /^--encryption-provider-config: ".*encryption.json": want kind EncryptionConfiguration of apiVersion/,
    /^--encryption-provider-config: ".*encryption.json": resources\[0\].resources: at least one resource is needed/,
    /^--encryption-provider-config: ".*encryption.json": resources\[0\].providers: at least one provider is needed/,
    gone("etcd-cafile", "/gone/etcd.crt"),
    /^--etcd-keyfile: not given, but --etcd-certfile is ".*a.crt"; want both or neither/,
    /^--orchlet-certificate-authority: ".*junk.pem": no certificate found; want PEM/,
    gone("orchlet-client-certificate", "/gone/orchlet.crt"),
    gone("orchlet-client-key", "/gone/orchlet.key"),
    /^--tracing-config-file: file ".*tracing.json", field samplingRatePerMillion: invalid value -1; /,
    /^--tracing-config-file: file ".*tracing.json", field x: unknown field/,
    gone("proxy-client-cert-file", "/gone/front.crt"),
    /^--proxy-client-key-file: not given, but --proxy-client-cert-file is/,
    gone("oidc-ca-file", "/gone/oidc.crt"),
    /^--egress-selector-config-file: ".*broken.yaml": /,
    gone("audit-policy-file", "/gone/policy.yaml"),
    /^--cloud-config: found "\/gone\/cloud.conf"; no cloud provider is built in/,
    /^invalid value "9-1" for flag --service-node-port-range: want two ports/,
    /^--service-cluster-ip-range: found "10.0.0.0"; a range is/,
  ];
  for (const want of wanted) expect(errors).toContainEqual(expect.stringMatching(want));
  expect(errors).toHaveLength(wanted.length);
});

test.each([
  ["an unknown flag", ["--nonsense=1", "--etcd-servers=http://127.0.0.1:1"], ["nonsense"]],
  ["a bad value", ["--secure-port=many", "--etcd-servers=http://127.0.0.1:1"], ["secure-port"]],
  [
    "all errors of the values together",
    [
      "--storage-backend=embedded",
      "--service-cluster-ip-range=10.0.0.0",
      "--token-auth-file=/nowhere/tokens.csv",
      "--client-ca-file=/nowhere/ca.crt",
    ],
    ["embedded-store-path", "service-cluster-ip-range", "token-auth-file", "client-ca-file"],
  ],
  [
    "unknown versions",
    ["--etcd-servers=http://127.0.0.1:1", "--runtime-config=batch/v9=true,nope/v1=true"],
    [
      "--runtime-config: group version batch/v9 that has not been registered",
      "--runtime-config: unknown api groups nope",
    ],
  ],
  [
    "a server that would serve nothing",
    ["--etcd-servers=http://127.0.0.1:1", "--runtime-config=api/all=false"],
    ["--runtime-config: invalid key with only api/all=false"],
  ],
  [
    "plugins without the configuration that they need, and files that are not given",
    [
      "--etcd-servers=http://127.0.0.1:1",
      "--enable-admission-plugins=ImagePolicyWebhook",
      "--authorization-mode=Node,Webhook",
    ],
    [
      'plugin "ImagePolicyWebhook" is enabled and needs a configuration; none is given',
      "--authorization-webhook-config-file: not given; --authorization-mode=Webhook needs it",
    ],
  ],
  [
    "bad credentials for webhooks",
    ["--etcd-servers=http://127.0.0.1:1", `--admission-control-config-file=${admission}`, "--secure-port=many"],
    [
      `--admission-control-config-file: "${join(dir, "gone.conf")}": cannot be read: no such file`,
      `--admission-control-config-file: "${join(dir, "users.conf")}": users["*"].user.client-certificate: `,
      `--admission-control-config-file: "${join(dir, "users.conf")}": users["*"].user.client-key: `,
      "secure-port",
    ],
  ],
])("%s ends it with code 1 and a line per error", (_, flags, named) => {
  const { code, errors } = failedStart("orch-apiserver", flags);
  expect(code).toBe(1);
  expect(errors).toHaveLength(named.length);
  for (const flag of named) expect(errors.filter((line) => line.includes(flag))).toHaveLength(1);
});
