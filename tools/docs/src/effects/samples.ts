import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

type Samples = Readonly<Record<string, string | readonly string[]>>;

/** Names of files that flags may be given. */
interface Files {
  readonly client: string;
  readonly cert: string;
  readonly key: string;
  readonly tokens: string;
  readonly policies: string;
  readonly tracing: string;
  readonly encryption: string;
  readonly egress: string;
  readonly admission: string;
  readonly auditPolicy: string;
  readonly podTemplate: string;
  readonly text: string;
  readonly folder: string;
  readonly migration: string;
  /** A client configuration for another server. */
  readonly otherClient: string;
}

/** Writes what is missing. @param given a client configuration, and a certificate with its key */
function files(dir: string, given: Pick<Files, "client" | "cert" | "key">): Files {
  const file = (name: string, text: string): string => {
    writeFileSync(join(dir, name), text, { mode: 0o600 });
    return join(dir, name);
  };
  mkdirSync(join(dir, "other"), { recursive: true });
  const provider = { resources: ["secrets"], providers: [{ identity: {} }] };
  const template = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "r" },
    spec: { containers: [{ name: "c", image: "i" }], volumes: [{ name: "vol" }] },
  };
  const podSecurity = {
    apiVersion: "pod-security.admission.config.o8s.io/v1",
    kind: "PodSecurityConfiguration",
    defaults: { enforce: "baseline" },
  };
  return {
    ...given,
    tokens: file("tokens.csv", "token,user,uid\n"),
    policies: file("policies", "{}\n"),
    tracing: file(
      "tracing",
      JSON.stringify({ apiVersion: "apiserver.config.o8s.io/v1beta1", kind: "TracingConfiguration" }),
    ),
    encryption: file(
      "encryption",
      JSON.stringify({
        apiVersion: "apiserver.config.o8s.io/v1",
        kind: "EncryptionConfiguration",
        resources: [provider],
      }),
    ),
    egress: file(
      "egress",
      JSON.stringify({
        apiVersion: "apiserver.o8s.io/v1beta1",
        kind: "EgressSelectorConfiguration",
        egressSelections: [
          {
            name: "cluster",
            connection: { proxyProtocol: "HTTPConnect", transport: { uds: { udsName: join(dir, "proxy.sock") } } },
          },
        ],
      }),
    ),
    migration: file(
      "migration",
      JSON.stringify({
        apiVersion: "controllermanager.config.o8s.io/v1",
        kind: "LeaderMigrationConfiguration",
        leaderName: "moving",
        controllerLeaders: [{ name: "job" }],
      }),
    ),
    auditPolicy: file(
      "audit-policy",
      JSON.stringify({ apiVersion: "audit.o8s.io/v1", kind: "Policy", rules: [{ level: "Metadata" }] }),
    ),
    admission: file(
      "admission",
      JSON.stringify({
        apiVersion: "apiserver.config.o8s.io/v1",
        kind: "AdmissionConfiguration",
        plugins: [{ name: "PodSecurity", configuration: podSecurity }],
      }),
    ),
    podTemplate: file("template", JSON.stringify(template)),
    text: file("text", "text"),
    folder: join(dir, "other"),
    otherClient: file("other-client", readFileSync(given.client, "utf8").replace(/127\.0\.0\.1:\d+/, "127.0.0.1:2")),
  };
}

const serving = ({ cert, key, folder }: Files): Samples => ({
  "bind-address": "127.0.0.2",
  "cert-dir": folder,
  "tls-cert-file": [`--tls-cert-file=${cert}`, `--tls-private-key-file=${key}`],
  "tls-private-key-file": [`--tls-cert-file=${cert}`, `--tls-private-key-file=${key}`],
  "tls-sni-cert-key": `${cert},${key}`,
  "client-ca-file": cert,
  "allow-metric-labels": "a,b='c'",
  "disabled-metrics": "a",
  "show-hidden-metrics-for-version": "1.26",
});

const protobuf = "application/vnd.orchernetes.protobuf";

const daemon = (of: Files): Samples => ({
  ...serving(of),
  "requestheader-client-ca-file": of.cert,
  "requestheader-allowed-names": "a",
  "requestheader-username-headers": "x-a",
  "requestheader-group-headers": "x-a",
  "requestheader-extra-headers-prefix": "x-a-",
  "authentication-orchconfig": of.client,
  "authorization-orchconfig": of.client,
  "authorization-always-allow-paths": "/a",
  "leader-elect-resource-name": "a",
  "leader-elect-resource-namespace": "a",
  "leader-elect-renew-deadline": "11s",
  "leader-elect-retry-period": "1s",
  "leader-migration-config": ["--enable-leader-migration", `--leader-migration-config=${of.migration}`],
  "lock-object-name": "a",
  "lock-object-namespace": "a",
  master: "http://127.0.0.1:2",
  orchconfig: of.otherClient,
  "orch-api-burst": ["--orch-api-qps=51", "--orch-api-burst=101"],
  "orch-api-content-type": protobuf,
});

const allocating = ["--allocate-node-cidrs", "--cluster-cidr=10.244.0.0/16"];

/** Flags about the ranges of nodes. */
const nodeRanges: Samples = {
  "allocate-node-cidrs": allocating,
  "cluster-cidr": allocating,
  "cidr-allocator-type": [
    ...allocating,
    "--feature-gates=MultiCIDRRangeAllocator=true",
    "--cidr-allocator-type=MultiCIDRRangeAllocator",
  ],
  "node-cidr-mask-size": [...allocating, "--node-cidr-mask-size=25"],
  "node-cidr-mask-size-ipv4": [...allocating, "--node-cidr-mask-size-ipv4=25"],
  "node-cidr-mask-size-ipv6": ["--allocate-node-cidrs", "--cluster-cidr=fd00::/56", "--node-cidr-mask-size-ipv6=65"],
  "service-cluster-ip-range": [...allocating, "--service-cluster-ip-range=10.96.0.0/16"],
};

/** Samples of flags with one prefix that act only together with other flags. */
function withFlags(prefix: string, others: readonly string[], values: Readonly<Record<string, string>>): Samples {
  return Object.fromEntries(
    Object.entries(values).map(([flag, value]) => [`${prefix}${flag}`, [...others, `--${prefix}${flag}=${value}`]]),
  );
}

/**
 * What to put on the command line of a daemon to set a flag to another value than its default, where the flag's table does not
 * say it: a value, or all that is needed.
 */
export function samplesOf(
  dir: string,
  given: Pick<Files, "client" | "cert" | "key">,
): Readonly<Record<string, Samples>> {
  const of = files(dir, given);
  const { cert, key } = of;
  const etcd = ["--storage-backend=etcd3", "--etcd-servers=http://127.0.0.1:2"];
  const pair = (a: string, b: string) => [`--${a}=${cert}`, `--${b}=${key}`];
  const audit = (sink: "log" | "webhook", others: readonly string[], values: Readonly<Record<string, string>>) => {
    const batch = [`--audit-policy-file=${of.auditPolicy}`, ...others, `--audit-${sink}-mode=batch`];
    const throttle = (qps: number, burst: number) => [
      ...batch,
      `--audit-${sink}-batch-throttle-enable`,
      `--audit-${sink}-batch-throttle-qps=${qps}`,
      `--audit-${sink}-batch-throttle-burst=${burst}`,
    ];
    return {
      ...withFlags(`audit-${sink}-`, batch, {
        ...values,
        "batch-buffer-size": "11",
        "batch-max-size": "11",
        "batch-max-wait": "1s",
        "truncate-enabled": "true",
      }),
      ...withFlags(`audit-${sink}-`, [...batch, `--audit-${sink}-truncate-enabled`], {
        "truncate-max-batch-size": "200000000",
        "truncate-max-event-size": "1000",
      }),
      ...withFlags(`audit-${sink}-`, batch.slice(0, -1), { mode: "blocking-strict" }),
      [`audit-${sink}-batch-throttle-enable`]:
        sink === "log" ? throttle(3, 3) : [...batch, `--audit-webhook-batch-throttle-enable=false`],
      [`audit-${sink}-batch-throttle-qps`]: throttle(3, 4),
      [`audit-${sink}-batch-throttle-burst`]: throttle(4, 3),
    };
  };
  return {
    "orch-apiserver": {
      ...daemon(of),
      "goaway-chance": "0.01",
      "enable-admission-plugins": "AlwaysPullImages",
      "disable-admission-plugins": "LimitRanger",
      "storage-backend": etcd,
      "etcd-servers": etcd,
      "etcd-servers-overrides": [...etcd, "--etcd-servers-overrides=/events#http://127.0.0.1:3"],
      "etcd-prefix": [...etcd, "--etcd-prefix=/a"],
      "etcd-cafile": [...etcd, `--etcd-cafile=${cert}`],
      "etcd-certfile": [...etcd, ...pair("etcd-certfile", "etcd-keyfile")],
      "etcd-keyfile": [...etcd, ...pair("etcd-certfile", "etcd-keyfile")],
      "lease-reuse-duration-seconds": [...etcd, "--lease-reuse-duration-seconds=61"],
      "embedded-store-path": of.folder,
      "encryption-provider-config": of.encryption,
      "encryption-provider-config-automatic-reload": [
        `--encryption-provider-config=${of.encryption}`,
        "--encryption-provider-config-automatic-reload",
      ],
      "orchernetes-service-node-port": "30001",
      "advertise-address": "10.1.2.3",
      "external-hostname": "a.example",
      "cors-allowed-origins": "//a",
      "strict-transport-security-directives": "max-age=1",
      "debug-socket-path": join(dir, "debug.sock"),
      "tracing-config-file": of.tracing,
      "egress-selector-config-file": of.egress,
      "token-auth-file": of.tokens,
      ...withFlags(
        "authorization-webhook-",
        ["--authorization-mode=Webhook", `--authorization-webhook-config-file=${of.client}`],
        { "config-file": of.client, version: "v1", "cache-authorized-ttl": "1m", "cache-unauthorized-ttl": "1m" },
      ),
      ...withFlags("authentication-token-webhook-", [`--authentication-token-webhook-config-file=${of.client}`], {
        "config-file": of.client,
        version: "v1",
        "cache-ttl": "1m",
      }),
      ...withFlags("oidc-", ["--oidc-issuer-url=https://127.0.0.1:2", "--oidc-client-id=a"], {
        "issuer-url": "https://127.0.0.1:2",
        "client-id": "a",
        "ca-file": cert,
        "username-claim": "name",
        "username-prefix": "a:",
        "groups-claim": "groups",
        "groups-prefix": "a:",
        "required-claim": "a=b",
        "signing-algs": "ES256",
      }),
      "admission-control-config-file": of.admission,
      ...audit("log", [`--audit-log-path=${join(dir, "audit.log")}`], {
        path: join(dir, "audit.log"),
        format: "legacy",
        compress: "true",
        maxage: "2",
        maxbackup: "2",
        maxsize: "2",
      }),
      ...audit("webhook", [`--audit-webhook-config-file=${of.client}`], {
        "config-file": of.client,
        "initial-backoff": "1s",
        "batch-initial-backoff": "1s",
      }),
      "audit-policy-file": [`--audit-policy-file=${of.auditPolicy}`, `--audit-log-path=${join(dir, "audit.log")}`],
      "authorization-policy-file": ["--authorization-mode=ABAC", `--authorization-policy-file=${of.policies}`],
      "service-account-issuer": "https://a.example",
      "service-account-key-file": key,
      "service-account-signing-key-file": [
        `--service-account-key-file=${key}`,
        `--service-account-signing-key-file=${key}`,
      ],
      "service-account-jwks-uri": "https://a.example/keys",
      "api-audiences": "a",
      "watch-cache-sizes": "pods#0",
      "feature-gates": "WatchList=false",
      "runtime-config": "policy/v1=false",
      "service-cluster-ip-range": "10.9.0.0/16",
      "service-node-port-range": "30000-30010",
      "orchlet-certificate-authority": cert,
      "orchlet-client-certificate": pair("orchlet-client-certificate", "orchlet-client-key"),
      "orchlet-client-key": pair("orchlet-client-certificate", "orchlet-client-key"),
      "proxy-client-cert-file": pair("proxy-client-cert-file", "proxy-client-key-file"),
      "proxy-client-key-file": pair("proxy-client-cert-file", "proxy-client-key-file"),
      "max-mutating-requests-inflight": "11",
    },
    "orch-scheduler": daemon(of),
    "orch-controller-manager": {
      ...daemon(of),
      controllers: "-job",
      "cluster-name": "a",
      "root-ca-file": cert,
      "service-account-private-key-file": key,
      ...Object.fromEntries(
        ["", "orchlet-serving-", "orchlet-client-", "orch-apiserver-client-", "legacy-unknown-"].flatMap((signer) => {
          const flags = pair(`cluster-signing-${signer}cert-file`, `cluster-signing-${signer}key-file`);
          return ["cert", "key"].map((part) => [`cluster-signing-${signer}${part}-file`, flags]);
        }),
      ),
      "feature-gates": "HPAContainerMetrics=true",
      ...nodeRanges,
      "pv-recycler-pod-template-filepath-nfs": of.podTemplate,
      "pv-recycler-pod-template-filepath-hostpath": of.podTemplate,
    },
    "cloud-controller-manager": {
      ...daemon(of),
      "cloud-config": of.text,
      controllers: "-route",
      "cluster-cidr": "10.1.0.0/16",
      "cluster-name": "a",
      webhooks: "-a",
      "webhook-bind-address": "127.0.0.2",
      "webhook-cert-dir": of.folder,
      "webhook-tls-cert-file": pair("webhook-tls-cert-file", "webhook-tls-private-key-file"),
      "webhook-tls-private-key-file": pair("webhook-tls-cert-file", "webhook-tls-private-key-file"),
    },
    "metrics-server": {
      ...daemon(of),
      master: "https://127.0.0.1:2",
      "metric-resolution": "30s",
      "node-selector": "a=b",
      "orchlet-certificate-authority": cert,
      "orchlet-client-certificate": pair("orchlet-client-certificate", "orchlet-client-key"),
      "orchlet-client-key": pair("orchlet-client-certificate", "orchlet-client-key"),
      "orchlet-preferred-address-types": "Hostname",
      "orchlet-request-timeout": "5s",
    },
    "orch-proxy": {
      "bind-address": "127.0.0.2",
      "healthz-bind-address": "127.0.0.2:10256",
      "metrics-bind-address": "127.0.0.2:10249",
      "cluster-cidr": "10.1.0.0/16",
      "pod-bridge-interface": ["--detect-local-mode=BridgeInterface", "--pod-bridge-interface=a"],
      "pod-interface-name-prefix": ["--detect-local-mode=InterfaceNamePrefix", "--pod-interface-name-prefix=a"],
      "nodeport-addresses": "127.0.0.0/8",
      "hostname-override": "a",
      "allow-metric-labels": "a,b='c'",
      "disabled-metrics": "a",
      "show-hidden-metrics-for-version": "1.26",
      master: "http://127.0.0.1:2",
      orchconfig: of.otherClient,
      "detect-local-mode": "NodeCIDR",
      "orch-api-content-type": protobuf,
      "iptables-min-sync-period": "2s",
    },
    orchlet: {
      ...serving(of),
      orchconfig: of.otherClient,
      address: "127.0.0.2",
      "hostname-override": "a",
      "node-ip": "127.0.0.1",
      "node-labels": "a=b",
      "healthz-bind-address": "127.0.0.2",
      "pod-manifest-path": of.folder,
      "manifest-url": "http://127.0.0.1:2/",
      "manifest-url-header": ["--manifest-url=http://127.0.0.1:2/", "--manifest-url-header=A:b"],
      "register-with-taints": "a=b:NoSchedule",
      "provider-id": "a",
      "cloud-provider": "external",
      "allowed-unsafe-sysctls": "net.core.somaxconn",
      "cluster-dns": "10.0.0.10",
      "cluster-domain": "a.example",
      "resolv-conf": of.text,
      "image-service-endpoint": "unix:///a.sock",
      "container-runtime-endpoint": "unix:///a.sock",
      "container-log-max-size": "1Mi",
      "cgroup-root": "/a",
      "system-reserved": "cpu=100m",
      "orch-reserved": "cpu=100m",
      "reserved-cpus": "0",
      "enforce-node-allocatable": "none",
      "system-reserved-cgroup": "/system",
      "orch-reserved-cgroup": "/daemons",
      "orchlet-cgroups": "/agent",
      "system-cgroups": ["--cgroup-root=/a", "--system-cgroups=/system"],
      "iptables-masquerade-bit": "13",
      "iptables-drop-bit": "13",
      "qos-reserved": ["--qos-reserved=memory=50%", "--feature-gates=QOSReserved=true"],
      "memory-swap": ["--memory-swap=UnlimitedSwap", "--feature-gates=NodeSwap=true"],
      "memory-throttling-factor": "0.5",
      "eviction-hard": "memory.available<10Mi",
      "eviction-soft": ["--eviction-soft=memory.available<10Mi", "--eviction-soft-grace-period=memory.available=1m"],
      "eviction-soft-grace-period": "memory.available=1m",
      "eviction-minimum-reclaim": "memory.available=1Mi",
      tracing: "endpoint=127.0.0.1:2",
      "volume-plugin-dir": of.folder,
      "experimental-mounter-path": "/a/mount",
      "root-dir": of.folder,
      "cgroups-per-qos": ["--cgroups-per-qos=false", "--enforce-node-allocatable=none"],
      "enable-system-log-query": ["--enable-system-log-query", "--feature-gates=NodeLogQuery=true"],
      "runtime-cgroups": "/runtime",
      "cpu-cfs-quota-period": ["--cpu-cfs-quota-period=50ms", "--feature-gates=CustomCPUCFSQuotaPeriod=true"],
      "fail-swap-on": ["--fail-swap-on=true"],
      "feature-gates": "NodeSwap=true",
      "bootstrap-orchconfig": [`--orchconfig=${dir}/new`, `--bootstrap-orchconfig=${of.otherClient}`],
      "shutdown-grace-period-critical-pods": [
        "--shutdown-grace-period=30s",
        "--shutdown-grace-period-critical-pods=10s",
      ],
      "shutdown-grace-period-by-pod-priority": "100=10",
      "image-gc-high-threshold": "90",
      "image-gc-low-threshold": "70",
    },
  };
}
