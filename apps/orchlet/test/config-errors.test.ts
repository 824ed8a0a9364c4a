import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { failedStart } from "@orchernetes/testkit";
import { afterAll, expect, test } from "vitest";

const dir = mkdtempSync(join(tmpdir(), "orchlet-errors-"));
afterAll(() => rmSync(dir, { recursive: true }));
const file = (name: string, text: string): string => {
  const path = join(dir, name);
  writeFileSync(path, text);
  return path;
};
const junk = file("junk.pem", "junk");
const settings = (text: string) =>
  `apiVersion: orchlet.config.o8s.io/v1beta1\nkind: OrchletConfiguration\nfailSwapOn: false\n${text}`;
const bad = file(
  "bad.yaml",
  settings(`x: 1
tlsCertFile: /gone/tls.crt
tlsPrivateKeyFile: ${junk}
authentication: {x509: {clientCAFile: /gone/ca.crt}}
containerRuntimeEndpoint: tcp://127.0.0.1:1
containerLogMaxSize: many
port: 70000
`),
);
const good = file("good.yaml", settings("maxPods: 7\n"));
const providers = file("providers.yaml", "kind: CredentialProviderConfig\n");
const gone = (flag: string, path: string) => new RegExp(`^--${flag}: "${path}":? cannot be read: .*; (want|expected)`);
const inBad = (field: string, rest: string) =>
  new RegExp(`^--config: file ".*bad.yaml", field ${field.replaceAll(".", "\\.")}: ${rest}`);

test.each<[string, readonly string[], readonly RegExp[]]>([
  [
    "flags and files",
    [
      "--bogus",
      "--port=99999",
      `--config=${good}`,
      "--orchconfig=/gone/client",
      "--container-runtime-endpoint=bad",
      "--image-service-endpoint=tcp://x",
      "--tls-cert-file=/gone/tls.crt",
      "--client-ca-file=/dev/null",
      "--resolv-conf=/gone/resolv.conf",
      "--image-credential-provider-bin-dir=/gone/bin",
      `--image-credential-provider-config=${providers}`,
      "--cloud-config=/gone/cloud.conf",
      `--root-dir=${junk}/root`,
      "--node-ip=x",
      "--hostname-override=a_b",
      "--feature-gates=Nope=true",
      "--image-gc-high-threshold=10",
      "--system-reserved=cpu=lots,memory=-1Gi,gpu=1",
      "--eviction-hard=memory.available<101%,nodefs.available<-5Gi,pid.available<0,odd<1",
      "--eviction-soft=memory.available<10%",
      "--eviction-soft-grace-period=nodefs.available=-1m",
      "--eviction-minimum-reclaim=memory.available=-1Mi",
      "--allowed-unsafe-sysctls=vm.swappiness,kernel.msg*",
      "--node-labels=node-restriction.orchernetes.io/team=a,role.o8s.io/x=y,example.com/ok=1,bad=a/b,node.orchernetes.io/ok=1",
      "--register-schedulable=true",
    ],
    [
      /^unknown flag --bogus; see --help/,
      /^invalid value "99999" for flag --port: want 1 to 65535$/,
      gone("orchconfig", "/gone/client"),
      /^--container-runtime-endpoint: field containerRuntimeEndpoint: invalid value "bad"; want a unix socket such as unix:\/\//,
      /^--image-service-endpoint: field imageServiceEndpoint: invalid value "tcp:\/\/x"; want a unix socket such as unix:/,
      gone("tls-cert-file", "/gone/tls.crt"),
      /^--config: file ".*good.yaml", field tlsPrivateKeyFile: not given, but --tls-cert-file is .*; want both or neither$/,
      /^--client-ca-file: "\/dev\/null": no certificate found; want PEM/,
      gone("resolv-conf", "/gone/resolv.conf"),
      gone("image-credential-provider-bin-dir", "/gone/bin"),
      /^--image-credential-provider-config: file ".*providers.yaml", field apiVersion: missing; want/,
      /^--image-credential-provider-config: file ".*providers.yaml", field providers: missing; want/,
      /^--cloud-config: found "\/gone\/cloud.conf"; no cloud provider is built in/,
      /^--root-dir: ".*junk.pem\/root" cannot be used: ".*junk.pem" is no directory; want a directory/,
      /^--node-ip: found "x"; want an IP address/,
      /^--hostname-override: found "a_b"; /,
      /^--feature-gates: unrecognized feature gate: Nope/,
      /field imageGCLowThresholdPercent: missing; want less than imageGCHighThresholdPercent \(--image-gc-high-threshold\)$/,
      /^--system-reserved: field systemReserved.cpu: invalid value "lots"; want a quantity/,
      /^--system-reserved: field systemReserved.memory: invalid value "-1Gi"; want a quantity .* of 0 or more$/,
      /^--system-reserved: field systemReserved: found "gpu"; want cpu, memory/,
      /^--eviction-hard: field evictionHard.memory.available: invalid value "101%"; want .* a percentage from 0% to 100%$/,
      /^--eviction-hard: field evictionHard.nodefs.available: invalid value "-5Gi"; want a quantity .* of more than 0/,
      /^--eviction-hard: field evictionHard.pid.available: invalid value "0"; want a quantity .* of more than 0/,
      /^--eviction-hard: field evictionHard: found "odd"; want memory.available, .*nodefs.available/,
      /field evictionSoftGracePeriod: .* want a grace period for every signal in evictionSoft/,
      /^--eviction-soft-grace-period: field evictionSoftGracePeriod.nodefs.available: invalid value "-1m"; want a duration/,
      /^--eviction-minimum-reclaim: field evictionMinimumReclaim.memory.available: invalid value "-1Mi"; want a quantity/,
      /^--allowed-unsafe-sysctls: field allowedUnsafeSysctls: invalid value "vm.swappiness"; want a kernel setting/,
      /^--node-labels: found node-restriction.orchernetes.io\/team; of the domains .* want one of beta.orchernetes.io\/arch, /,
      /^--node-labels: found role.o8s.io\/x; of the domains orchernetes.io and o8s.io want one of/,
      /^--node-labels: value "a\/b" of bad: /,
    ],
  ],
  [
    "fields of the file",
    [`--config=${bad}`, "--v=x"],
    [
      /^invalid value "x" for flag --v: want a whole number$/,
      inBad("x", "unknown field$"),
      inBad("tlsCertFile", '"/gone/tls.crt" cannot be read: ENOENT.*; want a readable PEM file$'),
      inBad("tlsPrivateKeyFile", '".*junk.pem": no private key found; want PEM'),
      inBad("authentication.x509.clientCAFile", '"/gone/ca.crt" cannot be read: ENOENT.*; want a readable PEM file$'),
      inBad("containerRuntimeEndpoint", 'invalid value "tcp://127.0.0.1:1"; want a unix socket'),
      inBad("containerLogMaxSize", 'invalid value "many"; want a quantity'),
      inBad("port", "invalid value 70000; want"),
    ],
  ],
  [
    "a server that is open to everyone because nothing was said",
    ["--fail-swap-on=false"],
    [/^--anonymous-auth, --authorization-mode: not given, .* 0\.0\.0\.0:10250 .*; want --config, /],
  ],
  [
    "reviews without an API server, by flags",
    ["--fail-swap-on=false", "--authorization-mode=Webhook", "--authentication-token-webhook"],
    [
      /^--authentication-token-webhook: field authentication.webhook.enabled: no client provided, cannot use webhook authentication; want --orchconfig, .* or false$/,
      /^--authorization-mode: field authorization.mode: no client provided, cannot use webhook authorization; want --orchconfig, .* or AlwaysAllow$/,
    ],
  ],
  [
    "reviews without an API server, by the defaults of a file",
    [`--config=${good}`],
    [
      /^--config: file ".*good.yaml", field authentication.webhook.enabled: no client provided, cannot use webhook authentication; /,
      /^--config: file ".*good.yaml", field authorization.mode: no client provided, cannot use webhook authorization; /,
    ],
  ],
  [
    "an absent configuration file, and what flags say beside it",
    ["--config=/gone/config", "--client-ca-file=/gone/ca.crt", "--container-runtime-endpoint=bad"],
    [
      /^--config: file "\/gone\/config" cannot be read: ENOENT.*; want a readable YAML or JSON file$/,
      gone("client-ca-file", "/gone/ca.crt"),
      /^--container-runtime-endpoint: field containerRuntimeEndpoint: invalid value "bad"; want a unix socket/,
    ],
  ],
])("%s: the agent prints one line for each error, and exits with code 1", (_, flags, wanted) => {
  const { code, stdout, errors } = failedStart("orchlet", flags);
  expect([code, stdout]).toEqual([1, ""]);
  for (const want of wanted) expect(errors).toContainEqual(expect.stringMatching(want));
  expect(errors).toHaveLength(wanted.length);
});
