import { pods } from "../../src/core/v1/pod.ts";
import { without } from "../support.ts";
import { rulesOf } from "./rule.ts";

const { rule, no, ok, fixed, free, noStatus, named } = rulesOf("Pod", pods);
const spec = (more: object): object => ({ spec: more });
const c = (more: object): object => spec({ containers: [{ name: "c", image: "i", ...more }] });
const volumes = (...list: readonly object[]): object =>
  spec({ volumes: list.map((source, i) => ({ name: `v${i}`, ...source })) });
const label = /^.*: Invalid value: ".*": a lowercase RFC 1123 label must consist of/;
const subdomain = /^.*: Invalid value: ".*": a lowercase RFC 1123 subdomain must consist of/;
const qualified = /^.*: Invalid value: ".*": name part must/;
const windows = (more: object): object => spec({ os: { name: "windows" }, ...more });
const affinity = (required: object): object =>
  spec({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } });
const required = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
const near = (term: object): object =>
  spec({ affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } });
const nearAt = "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]";
const spread = (more: object): object =>
  spec({
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "k", whenUnsatisfiable: "DoNotSchedule", ...more }],
  });
const spreadAt = "spec.topologySpreadConstraints[0]";
const tolerated = (more: object): object => spec({ tolerations: [more] });
const expanded = { dnsConfig: { searches: ["a", "b", "c", "d", "e", "f", "g"] } };
const unmovable = /^spec: Forbidden: pod updates may not change fields other than `spec\.containers\[\*\]\.image`/;

/** Pods as a whole, where they go, and their volumes. */
export const podRules = [
  rule("metadata.name", named("dns-subdomain")),
  rule("spec.containers", no({ spec: { containers: null } }, "spec.containers: Required value")),
  rule(
    "spec.restartPolicy",
    no(
      spec({ restartPolicy: "Odd" }),
      'spec.restartPolicy: Unsupported value: "Odd": supported values: "Always", "OnFailure", "Never"',
    ),
  ),
  rule(
    "spec.dnsPolicy",
    no(
      spec({ dnsPolicy: "Odd" }),
      'spec.dnsPolicy: Unsupported value: "Odd": supported values: "ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"',
    ),
    no(
      spec({ dnsPolicy: "None", dnsConfig: {} }),
      "spec.dnsConfig.nameservers: Required value: must provide at least one DNS nameserver when `dnsPolicy` is None",
    ),
  ),
  rule(
    "spec.dnsConfig",
    ok(spec(expanded)),
    no(
      spec(expanded),
      'spec.dnsConfig.searches: Invalid value: []string{"a", "b", "c", "d", "e", "f", "g"}: must not have more than 6 search paths',
      without("ExpandedDNSConfig"),
    ),
    free(spec(expanded), { metadata: { labels: { a: "b" } } }, without("ExpandedDNSConfig")),
    no(
      spec({ dnsConfig: { nameservers: ["1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4"] } }),
      /^spec\.dnsConfig\.nameservers: Invalid value: .*: must not have more than 3 nameservers$/,
    ),
    no(
      spec({ dnsConfig: { searches: Array.from({ length: 33 }, () => "a") } }),
      /^spec\.dnsConfig\.searches: Invalid value: .*: must not have more than 32 search paths$/,
    ),
    no(spec({ dnsConfig: { options: [{}] } }), "spec.dnsConfig.options[0]: Required value: must not be empty"),
  ),
  rule(
    "spec.activeDeadlineSeconds",
    no(
      spec({ activeDeadlineSeconds: 0 }),
      "spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive",
    ),
    free(spec({ activeDeadlineSeconds: 5 }), spec({ activeDeadlineSeconds: 1 })),
    fixed(
      spec({ activeDeadlineSeconds: 5 }),
      spec({ activeDeadlineSeconds: null }),
      'spec.activeDeadlineSeconds: Invalid value: "null": must not update from a positive integer to nil value',
    ),
  ),
  rule(
    "spec.terminationGracePeriodSeconds",
    free(spec({ terminationGracePeriodSeconds: -2 }), spec({ terminationGracePeriodSeconds: 1 })),
    fixed(spec({ terminationGracePeriodSeconds: 2 }), spec({ terminationGracePeriodSeconds: 1 }), unmovable),
  ),
  rule("spec.nodeName", no(spec({ nodeName: "A" }), subdomain), fixed({}, spec({ nodeName: "n" }), unmovable)),
  rule("spec.nodeSelector", no(spec({ nodeSelector: { "-": "" } }), qualified)),
  rule("spec.serviceAccountName", no(spec({ serviceAccountName: "A" }), subdomain)),
  rule(
    "spec.hostAliases[*]",
    no(
      spec({ hostAliases: [{ ip: "x" }] }),
      /^spec\.hostAliases\[0\]\.ip: Invalid value: "x": must be a valid IP address/,
    ),
    no(spec({ hostAliases: [{ ip: "1.1.1.1", hostnames: ["A"] }] }), subdomain),
  ),
  rule("spec.hostname, spec.subdomain", no(spec({ hostname: "a.b" }), label), no(spec({ subdomain: "A" }), label)),
  rule("spec.imagePullSecrets[*].name", ok(spec({ imagePullSecrets: [{}] }))),
  rule(
    "spec.hostNetwork + hostUsers=false",
    ...["hostNetwork", "hostPID", "hostIPC"].map((name) =>
      no(spec({ hostUsers: false, [name]: true }), `spec.${name}: Forbidden: when \`pod.Spec.HostUsers\` is false`),
    ),
  ),
  rule(
    "spec.shareProcessNamespace",
    no(
      { spec: { shareProcessNamespace: true, hostPID: true } },
      "spec.securityContext.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled",
    ),
  ),
  rule("spec.priorityClassName", no(spec({ priorityClassName: "A" }), subdomain)),
  rule(
    "spec.preemptionPolicy",
    no(
      spec({ preemptionPolicy: "Odd" }),
      'spec.preemptionPolicy: Unsupported value: "Odd": supported values: "PreemptLowerPriority", "Never"',
    ),
  ),
  rule("spec.runtimeClassName", no(spec({ runtimeClassName: "A" }), subdomain)),
  rule(
    "spec.overhead",
    no(
      spec({ overhead: { cpu: "-1" } }),
      'spec.overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
    ),
  ),
  rule("spec.readinessGates[*].conditionType", no(spec({ readinessGates: [{ conditionType: "-" }] }), qualified)),
  rule(
    "spec.schedulingGates[*].name",
    no(spec({ schedulingGates: [{ name: "-" }] }), qualified),
    no(spec({ schedulingGates: [{ name: "a" }, { name: "a" }] }), 'spec.schedulingGates[1]: Duplicate value: "a"'),
    no(
      spec({ schedulingGates: [{ name: "a" }], nodeName: "n" }),
      "spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared",
    ),
    fixed(
      {},
      spec({ schedulingGates: [{ name: "a" }] }),
      "spec.schedulingGates: Forbidden: only deletion is allowed, but found new scheduling gate 'a'",
    ),
    free(spec({ schedulingGates: [{ name: "a" }] }), spec({ schedulingGates: [] })),
  ),
  rule(
    "spec.os.name",
    no(spec({ os: { name: "" } }), "spec.os.name: Required value: cannot be empty"),
    no(spec({ os: { name: "mac" } }), 'spec.os: Unsupported value: "mac": supported values: "linux", "windows"'),
    ...["hostPID", "hostIPC", "hostUsers", "shareProcessNamespace"].map((name) =>
      no(windows({ [name]: true }), `spec.${name}: Forbidden: cannot be set for a windows pod`),
    ),
    no(
      windows({ securityContext: { fsGroup: 1 } }),
      "spec.securityContext.fsGroup: Forbidden: cannot be set for a windows pod",
    ),
    no(
      { spec: { os: { name: "linux" }, securityContext: { windowsOptions: {} } } },
      "spec.securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod",
    ),
  ),
  rule(
    "spec.affinity.nodeAffinity.required",
    no(affinity({ nodeSelectorTerms: [] }), `${required}: Required value: must have at least one node selector term`),
    no(
      affinity({ nodeSelectorTerms: [{ matchFields: [{ key: "metadata.uid", operator: "In", values: ["a"] }] }] }),
      `${required}[0].matchFields[0].key: Invalid value: "metadata.uid": not a valid field selector key`,
    ),
    no(
      affinity({ nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "Gt", values: [] }] }] }),
      `${required}[0].matchExpressions[0].values: Required value: must be specified single value when \`operator\` is 'Lt' or 'Gt'`,
    ),
  ),
  rule(
    "spec.affinity.*.preferred[*].weight",
    no(
      spec({
        affinity: {
          nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 101, preference: {} }] },
        },
      }),
      "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: must be in the range 1-100",
    ),
  ),
  rule(
    "podAffinityTerm",
    no(near({ topologyKey: "" }), `${nearAt}.topologyKey: Required value: can not be empty`),
    no(near({ topologyKey: "a", namespaces: ["A"] }), label),
  ),
  rule(
    "spec.topologySpreadConstraints[*]",
    no(spread({ maxSkew: 0 }), `${spreadAt}.maxSkew: Invalid value: 0: must be greater than zero`),
    no(spread({ topologyKey: "" }), `${spreadAt}.topologyKey: Required value: can not be empty`),
    no(
      spread({ whenUnsatisfiable: "Odd" }),
      `${spreadAt}.whenUnsatisfiable: Unsupported value: "Odd": supported values: "DoNotSchedule", "ScheduleAnyway"`,
    ),
    no(spread({ minDomains: 0 }), `${spreadAt}.minDomains: Invalid value: 0: must be greater than zero`),
    no(
      spread({ nodeTaintsPolicy: "Odd" }),
      `${spreadAt}.nodeTaintsPolicy: Unsupported value: "Odd": supported values: "Honor", "Ignore"`,
    ),
    no(
      spread({ matchLabelKeys: ["a"] }),
      `${spreadAt}.matchLabelKeys: Forbidden: must not be specified when labelSelector is not set`,
    ),
    no(
      spread({ matchLabelKeys: ["a"], labelSelector: { matchLabels: { a: "b" } } }),
      `${spreadAt}.matchLabelKeys[0]: Invalid value: "a": exists in both matchLabelKeys and labelSelector`,
    ),
  ),
  rule(
    "spec.tolerations[*]",
    no(
      tolerated({ operator: "Equal" }),
      /^spec\.tolerations\[0\]\.operator: Invalid value: "Equal": operator must be Exists when `key` is empty/,
    ),
    no(
      tolerated({ key: "a", operator: "Exists", value: "b" }),
      /^.*operator: Invalid value: .*: value must be empty when `operator` is 'Exists'$/,
    ),
    no(
      tolerated({ key: "a", tolerationSeconds: 1 }),
      `spec.tolerations[0].effect: Invalid value: "": effect must be 'NoExecute' when \`tolerationSeconds\` is set`,
    ),
    no(
      tolerated({ key: "a", effect: "Odd" }),
      'spec.tolerations[0].effect: Unsupported value: "Odd": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ),
  ),
  rule(
    "spec.volumes[*].name",
    no(volumes({ name: "A", emptyDir: {} }), label),
    no(volumes({ name: "" }), "spec.volumes[0].name: Required value"),
    no(volumes({ name: "a" }, { name: "a" }), 'spec.volumes[1].name: Duplicate value: "a"'),
  ),
  rule(
    "volumes.secret,configMap,downwardAPI,projected modes",
    no(
      volumes({ secret: { secretName: "s", defaultMode: 512 } }),
      "spec.volumes[0].secret.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive",
    ),
  ),
  rule(
    "volumes.*.items[*].path",
    no(
      volumes({ configMap: { name: "c", items: [{ key: "k", path: "/a" }] } }),
      'spec.volumes[0].configMap.items[0].path: Invalid value: "/a": must be a relative path',
    ),
    no(
      volumes({ configMap: { name: "c", items: [{ key: "k", path: "..a" }] } }),
      "spec.volumes[0].configMap.items[0].path: Invalid value: \"..a\": must not start with '..'",
    ),
  ),
  rule(
    "volumes.projected.serviceAccountToken.expirationSeconds",
    no(
      volumes({ projected: { sources: [{ serviceAccountToken: { path: "t", expirationSeconds: 599 } }] } }),
      "spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes",
    ),
    no(
      volumes({ projected: { sources: [{ serviceAccountToken: { path: "" } }] } }),
      "spec.volumes[0].projected.sources[0].serviceAccountToken.path: Required value",
    ),
  ),
  rule(
    "volumes.hostPath.path",
    no(volumes({ hostPath: { path: "" } }), "spec.volumes[0].hostPath.path: Required value"),
    no(
      volumes({ hostPath: { path: "/a/.." } }),
      "spec.volumes[0].hostPath.path: Invalid value: \"/a/..\": must not contain '..'",
    ),
    no(
      volumes({ hostPath: { path: "/a", type: "Odd" } }),
      /^.*hostPath\.type: Unsupported value: "Odd": supported values: "", "BlockDevice"/,
    ),
  ),
  rule(
    "volumes.emptyDir.sizeLimit",
    no(
      volumes({ emptyDir: { sizeLimit: "-1" } }),
      "spec.volumes[0].emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity",
    ),
  ),
  rule(
    "volumes.ephemeral.volumeClaimTemplate",
    no(
      volumes({ ephemeral: { volumeClaimTemplate: { metadata: { name: "n" }, spec: {} } } }),
      "spec.volumes[0].ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set for an ephemeral volume",
    ),
    no(
      volumes({ ephemeral: { volumeClaimTemplate: { spec: { accessModes: ["ReadWriteOncePod"] } } } }),
      /^.*volumeClaimTemplate\.spec\.accessModes: Unsupported value: "ReadWriteOncePod"/,
      without("ReadWriteOncePod"),
    ),
  ),
  rule(
    "update spec",
    free({}, c({ image: "other", imagePullPolicy: "Always" })),
    free({}, tolerated({ key: "a", operator: "Exists" })),
    fixed({}, spec({ dnsPolicy: "Default" }), unmovable),
    fixed({}, spec({ containers: [] }), "spec.containers: Forbidden: pod updates may not add or remove containers"),
  ),
  rule(
    "update status",
    noStatus({ nominatedNodeName: "A" }, subdomain),
    noStatus(
      { podIPs: [{ ip: "1.1.1.1" }, { ip: "1.1.1.2" }] },
      'status.podIPs: Invalid value: []string{"1.1.1.1", "1.1.1.2"}: may specify no more than one IP for each IP family',
    ),
  ),
  rule(
    "metadata.annotations[orchernetes.io/config.mirror]",
    no(
      { metadata: { annotations: { "orchernetes.io/config.mirror": "x" } } },
      'metadata.annotations[orchernetes.io/config.mirror]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set',
    ),
    fixed(
      { metadata: { annotations: { "orchernetes.io/config.mirror": "x" } }, spec: { nodeName: "n" } },
      { metadata: { annotations: { "orchernetes.io/config.mirror": null } } },
      "metadata.annotations[orchernetes.io/config.mirror]: Forbidden: may not remove or update mirror pod annotation",
    ),
  ),
];
