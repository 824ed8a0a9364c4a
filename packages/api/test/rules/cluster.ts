import { configMaps } from "../../src/core/v1/config-map.ts";
import { limitRanges } from "../../src/core/v1/limit-range.ts";
import { namespaces } from "../../src/core/v1/namespace.ts";
import { nodes } from "../../src/core/v1/node.ts";
import { resourceQuotas } from "../../src/core/v1/resource-quota.ts";
import { secrets } from "../../src/core/v1/secret.ts";
import { serviceAccounts } from "../../src/core/v1/service-account.ts";
import { rulesOf } from "./rule.ts";

const spec = (more: object): object => ({ spec: more });
const qualified = /^.*: Invalid value: ".*": name part must/;
const big = "x".repeat(1024 * 1024 + 1);
const base64 = (text: string): string => Buffer.from(text).toString("base64");

const n = rulesOf("Node", nodes);
export const nodeRules = [
  n.rule("metadata.name", n.named("dns-subdomain")),
  n.rule(
    "spec.podCIDRs",
    n.no(spec({ podCIDRs: ["x"] }), 'spec.podCIDRs[0]: Invalid value: []string{"x"}: must be valid CIDR'),
    n.no(
      spec({ podCIDRs: ["10.0.0.0/24", "10.0.1.0/24"] }),
      'spec.podCIDRs: Invalid value: []string{"10.0.0.0/24", "10.0.1.0/24"}: may specify no more than one CIDR for each IP family',
    ),
    n.free({}, spec({ podCIDR: "10.0.0.0/24" })),
    ...[{ podCIDR: "10.0.1.0/24" }, { podCIDR: "10.0.1.0/24", podCIDRs: ["10.0.1.0/24"] }].map((change) =>
      n.fixed(
        spec({ podCIDR: "10.0.0.0/24" }),
        spec(change),
        'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
      ),
    ),
  ),
  n.rule(
    "spec.providerID",
    n.free({}, spec({ providerID: "a://1" })),
    n.fixed(
      spec({ providerID: "a://1" }),
      spec({ providerID: "a://2" }),
      'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
    ),
  ),
  n.rule("spec.externalID", n.fixed({}, spec({ externalID: "a" }), "spec.externalID: Forbidden: may not be updated")),
  n.rule(
    "spec.taints[*]",
    n.no(spec({ taints: [{ key: "-", effect: "NoSchedule" }] }), qualified),
    n.no(
      spec({ taints: [{ key: "a", effect: "Odd" }] }),
      'metadata.taints[0].effect: Unsupported value: "Odd": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ),
    n.no(
      spec({
        taints: [
          { key: "a", effect: "NoSchedule" },
          { key: "a", effect: "NoSchedule", value: "b" },
        ],
      }),
      /^metadata\.taints\[1\]: Duplicate value: .*: taints must be unique by key and effect pair$/,
    ),
  ),
  n.rule(
    "status.addresses",
    n.noStatus(
      {
        addresses: [
          { type: "InternalIP", address: "1.1.1.1" },
          { type: "InternalIP", address: "1.1.1.1" },
        ],
      },
      'status.addresses[1]: Duplicate value: "1.1.1.1"',
    ),
  ),
  n.rule(
    "status.capacity, allocatable",
    n.noStatus(
      { capacity: { cpu: "-1" } },
      'status.capacity.cpu: Invalid value: "-1": must be greater than or equal to 0',
    ),
  ),
  n.rule("strategy create", n.ok(spec({ configSource: {} }))),
];

const ns = rulesOf("Namespace", namespaces);
export const namespaceRules = [
  ns.rule("metadata.name", ns.named("dns-label")),
  ns.rule("spec.finalizers[*]", ns.no(spec({ finalizers: ["-/a"] }), /^spec\.finalizers: Invalid value: "-\/a": /)),
  ns.rule(
    "status.phase",
    ns.noStatus(
      { phase: "Terminating" },
      "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty",
    ),
  ),
];

const frozen = "Forbidden: field is immutable when `immutable` is set";
const cm = rulesOf("ConfigMap", configMaps);
export const configMapRules = [
  cm.rule(
    "data, binaryData keys",
    cm.no({ data: { "a/b": "" } }, /^data\[a\/b\]: Invalid value: "a\/b": a valid config key must consist of/),
    cm.no(
      { data: { a: "" }, binaryData: { a: "" } },
      'data[a]: Invalid value: "a": duplicate of key present in binaryData',
    ),
  ),
  cm.rule("total size", cm.no({ data: { a: big } }, ": Too long: must have at most 1048576 bytes")),
  cm.rule(
    "immutable=true",
    cm.fixed({ immutable: true, data: { a: "1" } }, { data: { a: "2" } }, `data: ${frozen}`),
    cm.fixed({ immutable: true }, { immutable: false }, `immutable: ${frozen}`),
    cm.free({ immutable: true }, { metadata: { labels: { a: "b" } } }),
  ),
];

const s = rulesOf("Secret", secrets);
const typed = (type: string, data: Readonly<Record<string, string>> = {}): object => ({
  type: `orchernetes.io/${type}`,
  data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, base64(text)])),
});
export const secretRules = [
  s.rule(
    "data keys",
    s.no({ data: { "a/b": "" } }, /^data\[a\/b\]: Invalid value: "a\/b": a valid config key must consist of/),
    s.no({ data: { a: base64(big) } }, "data: Too long: must have at most 1048576 bytes"),
  ),
  s.rule("type", s.fixed({}, { type: "other" }, 'type: Invalid value: "other": field is immutable')),
  s.rule("immutable=true", s.fixed({ immutable: true }, { data: { a: "" } }, `data: ${frozen}`)),
  s.rule(
    "type orchernetes.io/service-account-token",
    s.no(typed("service-account-token"), "metadata.annotations[orchernetes.io/service-account.name]: Required value"),
  ),
  s.rule(
    "type orchernetes.io/dockercfg",
    s.no(typed("dockercfg"), "data[.dockercfg]: Required value"),
    s.no(
      typed("dockercfg", { ".dockercfg": "{" }),
      /^data\[\.dockercfg\]: Invalid value: "<secret contents redacted>": /,
    ),
  ),
  s.rule(
    "type orchernetes.io/dockerconfigjson",
    s.no(typed("dockerconfigjson"), "data[.dockerconfigjson]: Required value"),
  ),
  s.rule(
    "type orchernetes.io/basic-auth",
    s.no(typed("basic-auth"), "data[%s][username]: Required value"),
    s.ok(typed("basic-auth", { password: "a" })),
  ),
  s.rule("type orchernetes.io/ssh-auth", s.no(typed("ssh-auth"), "data[%s][ssh-privatekey]: Required value")),
  s.rule("type orchernetes.io/tls", s.no(typed("tls", { "tls.crt": "a" }), "data[tls.key]: Required value")),
];

const sa = rulesOf("ServiceAccount", serviceAccounts);
export const serviceAccountRules = [
  sa.rule("metadata.name", sa.named("dns-subdomain")),
  sa.rule("secrets, imagePullSecrets", sa.ok({ secrets: [{ name: "A" }], imagePullSecrets: [{}] })),
];

const q = rulesOf("ResourceQuota, LimitRange", resourceQuotas);
const l = rulesOf("ResourceQuota, LimitRange", limitRanges);
const limit = (more: object): object => spec({ limits: [{ type: "Container", ...more }] });
export const quotaRules = [
  q.rule(
    "ResourceQuota.spec.hard",
    q.ok(spec({ hard: { "requests.cpu": "1", "count/jobs.batch": "1", "requests.x.y/z": "1" } })),
    q.no(spec({ hard: { odd: "1" } }), 'spec.hard[odd]: Invalid value: "odd": must be a standard resource for quota'),
    q.no(spec({ hard: { pods: "-1" } }), 'spec.hard[pods]: Invalid value: "-1": must be greater than or equal to 0'),
  ),
  q.rule(
    "ResourceQuota.spec.scopes",
    q.no(spec({ scopes: ["Odd"] }), 'spec.scopes: Invalid value: []core.ResourceQuotaScope{"Odd"}: unsupported scope'),
    q.no(spec({ scopes: ["BestEffort", "NotBestEffort"] }), /^spec\.scopes: Invalid value: .*: conflicting scopes$/),
    q.fixed({}, spec({ scopes: ["BestEffort"] }), /^spec\.scopes: Invalid value: .*: field is immutable$/),
  ),
  l.rule(
    "LimitRange.spec.limits[*]",
    l.no(
      spec({ limits: [{ type: "Odd" }] }),
      'spec.limits[0].type: Invalid value: "Odd": must be a standard limit type or fully qualified',
    ),
    l.no(spec({ limits: [{ type: "Pod" }, { type: "Pod" }] }), 'spec.limits[1].type: Duplicate value: "Pod"'),
    l.no(
      limit({ min: { cpu: "2" }, max: { cpu: "1" } }),
      'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
    ),
    l.no(
      limit({ maxLimitRequestRatio: { cpu: "500m" } }),
      'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1',
    ),
    l.no(
      spec({ limits: [{ type: "Pod", default: { cpu: "1" } }] }),
      "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
    ),
    l.no(
      spec({ limits: [{ type: "PersistentVolumeClaim" }] }),
      "spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided",
    ),
  ),
];
