import { pods } from "../../src/core/v1/pod.ts";
import { context, without } from "../support.ts";
import { rulesOf } from "./rule.ts";

const { rule, no, ok, fixed, free, noStatus, named } = rulesOf("Pod", pods);
const spec = (more: object): object => ({ spec: more });
const c = (more: object): object => spec({ containers: [{ name: "c", image: "i", ...more }] });
const volumes = (...list: readonly object[]): object =>
  spec({ volumes: list.map((source, i) => ({ name: `v${i}`, ...source })) });
const security = (securityContext: object): object => spec({ securityContext });
const at = "spec.containers[0]";
const label = /^.*: Invalid value: ".*": a lowercase RFC 1123 label must consist of/;
const subdomain = /^.*: Invalid value: ".*": a lowercase RFC 1123 subdomain must consist of/;
const qualified = /^.*: Invalid value: ".*": name part must/;
const env = (valueFrom: object, value?: string): object => c({ env: [{ name: "A", value, valueFrom }] });
const fieldRef = (fieldPath: string): object => env({ fieldRef: { fieldPath } });
const resourceRef = (resource: string, divisor?: string): object => env({ resourceFieldRef: { resource, divisor } });
const probe = (more: object): object => c({ livenessProbe: { exec: { command: ["x"] }, ...more } });
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

export const podRules = [
  rule("metadata.name", named("dns-subdomain")),
  rule("spec.containers", no({ spec: { containers: null } }, "spec.containers: Required value")),
  rule(
    "spec.containers[*].name, initContainers, ephemeralContainers",
    no(c({ name: "A" }), label),
    no(c({ name: "" }), `${at}.name: Required value`),
    no(spec({ initContainers: [{ name: "c", image: "i" }] }), 'spec.initContainers[0].name: Duplicate value: "c"'),
  ),
  rule(
    "spec.containers[*].image",
    no(c({ image: "" }), `${at}.image: Required value`),
    no(c({ image: " i" }), `${at}.image: Invalid value: " i": must not have leading or trailing whitespace`),
  ),
  rule(
    "spec.containers[*].imagePullPolicy",
    no(
      c({ imagePullPolicy: "Odd" }),
      `${at}.imagePullPolicy: Unsupported value: "Odd": supported values: "Always", "IfNotPresent", "Never"`,
    ),
  ),
  rule(
    "spec.containers[*].ports[*].containerPort",
    no(c({ ports: [{ containerPort: 0 }] }), `${at}.ports[0].containerPort: Required value`),
    no(
      c({ ports: [{ containerPort: 65536 }] }),
      `${at}.ports[0].containerPort: Invalid value: 65536: must be between 1 and 65535, inclusive`,
    ),
  ),
  rule(
    "spec.containers[*].ports[*].hostPort",
    no(
      c({ ports: [{ containerPort: 1, hostPort: -1 }] }),
      /^.*hostPort: Invalid value: -1: must be between 1 and 65535/,
    ),
    no(
      c({
        ports: [
          { containerPort: 1, hostPort: 80 },
          { containerPort: 2, hostPort: 80 },
        ],
      }),
      `${at}.ports[1].hostPort: Duplicate value: "TCP//80"`,
    ),
    no(
      {
        spec: {
          hostNetwork: true,
          containers: [{ name: "c", image: "i", ports: [{ containerPort: 1, hostPort: 2 }] }],
        },
      },
      `${at}.ports[0].containerPort: Invalid value: 1: must match \`hostPort\` when \`hostNetwork\` is true`,
    ),
  ),
  rule(
    "spec.containers[*].ports[*].name",
    no(
      c({ ports: [{ containerPort: 1, name: "-" }] }),
      /^.*ports\[0\]\.name: Invalid value: "-": must contain at least one letter/,
    ),
    no(
      c({
        ports: [
          { containerPort: 1, name: "a" },
          { containerPort: 2, name: "a" },
        ],
      }),
      `${at}.ports[1].name: Duplicate value: "a"`,
    ),
  ),
  rule(
    "spec.containers[*].ports[*].protocol",
    no(
      c({ ports: [{ containerPort: 1, protocol: "X" }] }),
      `${at}.ports[0].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"`,
    ),
  ),
  rule(
    "spec.containers[*].env[*].name",
    no(c({ env: [{ name: "" }] }), `${at}.env[0].name: Required value`),
    no(c({ env: [{ name: "1=" }] }), /^.*env\[0\]\.name: Invalid value: "1=": a valid environment variable name/),
  ),
  rule(
    "spec.containers[*].env[*].valueFrom",
    no(
      env({}),
      `${at}.env[0].valueFrom: Invalid value: "": must specify one of: \`fieldRef\`, \`resourceFieldRef\`, \`configMapKeyRef\` or \`secretKeyRef\``,
    ),
    no(
      env({ secretKeyRef: { name: "s", key: "k" } }, "x"),
      `${at}.env[0].valueFrom: Invalid value: "": may not be specified when \`value\` is not empty`,
    ),
    no(
      env({ secretKeyRef: { name: "s", key: "k" }, configMapKeyRef: { name: "s", key: "k" } }),
      `${at}.env[0].valueFrom: Invalid value: "": may not have more than one field specified at a time`,
    ),
  ),
  rule(
    "spec.containers[*].env[*].valueFrom.fieldRef.fieldPath",
    ...["metadata.uid", "metadata.labels['k']", "spec.nodeName", "status.podIPs"].map((path) => ok(fieldRef(path))),
    no(fieldRef(""), `${at}.env[0].valueFrom.fieldRef.fieldPath: Required value`),
    no(
      fieldRef("metadata.labels"),
      /^.*fieldPath: Unsupported value: "metadata.labels": supported values: "metadata.name", /,
    ),
    no(
      fieldRef("spec.x"),
      `${at}.env[0].valueFrom.fieldRef.fieldPath: Invalid value: "spec.x": error converting fieldPath: field label not supported: spec.x`,
    ),
  ),
  rule(
    "spec.containers[*].env[*].valueFrom.resourceFieldRef.resource",
    ok(resourceRef("limits.hugepages-2Mi")),
    no(
      resourceRef("limits.x"),
      /^.*resourceFieldRef\.resource: Unsupported value: "limits.x": supported values: "limits.cpu", /,
    ),
  ),
  rule(
    "resourceFieldRef.divisor",
    ok(resourceRef("limits.cpu", "1m")),
    no(
      resourceRef("limits.cpu", "2"),
      /^.*divisor: Invalid value: "limits.cpu": only divisor's values 1, 1m are supported/,
    ),
    no(
      resourceRef("limits.memory", "1m"),
      /^.*divisor: Invalid value: "limits.memory": only divisor's values 1, 1E, 1Ei, /,
    ),
  ),
  rule(
    "spec.containers[*].envFrom[*]",
    no(
      c({ envFrom: [{}] }),
      `${at}.envFrom: Invalid value: "": must specify one of: \`configMapRef\` or \`secretRef\``,
    ),
    no(
      c({ envFrom: [{ configMapRef: { name: "a" }, secretRef: { name: "a" } }] }),
      `${at}.envFrom: Invalid value: "": may not have more than one field specified at a time`,
    ),
    no(c({ envFrom: [{ prefix: "1", configMapRef: { name: "a" } }] }), /^.*envFrom\[0\]\.prefix: Invalid value: "1": /),
  ),
  rule(
    "spec.containers[*].volumeMounts[*]",
    no(c({ volumeMounts: [{ name: "x", mountPath: "/a" }] }), `${at}.volumeMounts[0].name: Not found: "x"`),
    no(c({ volumeMounts: [{ name: "", mountPath: "/a" }] }), `${at}.volumeMounts[0].name: Not found: ""`),
    no(c({ volumeMounts: [{ name: "x", mountPath: "" }] }), `${at}.volumeMounts[0].mountPath: Required value`),
    no(
      c({ volumeMounts: [{ name: "x", mountPath: "/a", subPath: "/b" }] }),
      `${at}.volumeMounts.subPath: Invalid value: "/b": must be a relative path`,
    ),
    no(
      c({ volumeMounts: [{ name: "x", mountPath: "/a", subPath: "a", subPathExpr: "b" }] }),
      `${at}.volumeMounts.subPathExpr: Invalid value: "b": subPathExpr and subPath are mutually exclusive`,
    ),
    no(
      c({ volumeMounts: [{ name: "x", mountPath: "/a", mountPropagation: "Bidirectional" }] }),
      `${at}.volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers`,
    ),
    no(
      c({
        volumeMounts: [
          { name: "x", mountPath: "/a" },
          { name: "y", mountPath: "/a" },
        ],
      }),
      `${at}.volumeMounts[1].mountPath: Invalid value: "/a": must be unique`,
    ),
  ),
  rule(
    "spec.containers[*].volumeDevices[*]",
    no(
      {
        spec: {
          volumes: [{ name: "v", emptyDir: {} }],
          containers: [{ name: "c", image: "i", volumeDevices: [{ name: "v", devicePath: "/a" }] }],
        },
      },
      `${at}.volumeDevices[0].name: Invalid value: "v": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode`,
    ),
    no(c({ volumeDevices: [{ name: "v", devicePath: "" }] }), `${at}.volumeDevices[0].devicePath: Required value`),
    no(
      c({ volumeDevices: [{ name: "v", devicePath: "/../a" }] }),
      `${at}.volumeDevices[0].devicePath: Invalid value: "/../a": must not contain '..'`,
    ),
    no(
      c({ volumeDevices: [{ name: "v", devicePath: "/a" }], volumeMounts: [{ name: "v", mountPath: "/a" }] }),
      `${at}.volumeDevices[0].name: Invalid value: "v": must not already exist in volumeMounts`,
    ),
  ),
  rule(
    "spec.containers[*].resources",
    no(
      c({ resources: { limits: { "x.y/z": "1" }, requests: { "x.y/z": "2" } } }),
      `${at}.resources.requests: Invalid value: "2": must be equal to x.y/z limit of 1`,
    ),
    no(
      c({ resources: { limits: { "hugepages-2Mi": "3Mi", cpu: "1" } } }),
      `${at}.resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi`,
    ),
    no(
      c({ resources: { limits: { "hugepages-big": "3Mi", cpu: "1" } } }),
      `${at}.resources.limits[hugepages-big]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-big`,
    ),
    ok(c({ resources: { limits: { "hugepages-2Mi": "4Mi", cpu: "1" } } })),
  ),
  rule(
    "spec.containers[*].resources quantity",
    no(
      c({ resources: { limits: { cpu: "-1" } } }),
      `${at}.resources.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0`,
    ),
    no(
      c({ resources: { limits: { "x.y/z": "100m" } } }),
      `${at}.resources.limits[x.y/z]: Invalid value: "100m": must be an integer`,
    ),
  ),
  rule(
    "spec.containers[*].resizePolicy[*]",
    ok(c({ resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }] })),
    no(
      c({ resizePolicy: [{ resourceName: "disk", restartPolicy: "NotRequired" }] }),
      `${at}.resizePolicy: Unsupported value: "disk": supported values: "cpu", "memory"`,
    ),
    no(
      c({ resizePolicy: [{ resourceName: "cpu", restartPolicy: "Odd" }] }),
      `${at}.resizePolicy: Unsupported value: "Odd": supported values: "NotRequired", "RestartContainer"`,
    ),
    no(
      spec({
        initContainers: [
          { name: "i", image: "i", resizePolicy: [{ resourceName: "cpu", restartPolicy: "NotRequired" }] },
        ],
      }),
      /^spec\.initContainers\[0\]\.resizePolicy: Invalid value: .*: must not be set for init containers$/,
    ),
  ),
  rule(
    "spec.containers[*].livenessProbe, startupProbe",
    no(probe({ successThreshold: 2 }), `${at}.livenessProbe.successThreshold: Invalid value: 2: must be 1`),
  ),
  rule(
    "probe.*",
    no(c({ livenessProbe: {} }), `${at}.livenessProbe: Required value: must specify a handler type`),
    no(
      probe({ tcpSocket: { port: 1 } }),
      `${at}.livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type`,
    ),
    no(
      probe({ periodSeconds: -1 }),
      `${at}.livenessProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0`,
    ),
  ),
  rule(
    "probe.terminationGracePeriodSeconds",
    no(
      probe({ terminationGracePeriodSeconds: 0 }),
      `${at}.livenessProbe.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0`,
    ),
    no(
      c({ readinessProbe: { tcpSocket: { port: 1 }, terminationGracePeriodSeconds: 0 } }),
      `${at}.readinessProbe.terminationGracePeriodSeconds: Invalid value: 0: must not be set for readinessProbes`,
    ),
  ),
  rule(
    "probe.httpGet",
    ok(c({ livenessProbe: { httpGet: { port: "http" } } })),
    no(
      c({ livenessProbe: { httpGet: { port: 0 } } }),
      /^.*httpGet\.port: Invalid value: 0: must be between 1 and 65535/,
    ),
    no(
      c({ livenessProbe: { httpGet: { port: 1, scheme: "FTP" } } }),
      `${at}.livenessProbe.httpGet.scheme: Unsupported value: "FTP": supported values: "HTTP", "HTTPS"`,
    ),
    no(
      c({ livenessProbe: { httpGet: { port: 1, httpHeaders: [{ name: "a b", value: "" }] } } }),
      /^.*httpGet\.httpHeaders: Invalid value: "a b": a valid HTTP header must consist of/,
    ),
  ),
  rule(
    "probe.exec.command",
    no(c({ livenessProbe: { exec: { command: [] } } }), `${at}.livenessProbe.exec.command: Required value`),
  ),
  rule(
    "lifecycle.postStart,preStop",
    no(c({ lifecycle: { preStop: {} } }), `${at}.lifecycle.preStop: Required value: must specify a handler type`),
  ),
  rule(
    "spec.initContainers[*]",
    no(
      spec({ initContainers: [{ name: "i", image: "i", livenessProbe: { tcpSocket: { port: 1 } } }] }),
      /^spec\.initContainers\[0\]\.livenessProbe: Invalid value: .*: must not be set for init containers$/,
    ),
  ),
  rule(
    "spec.ephemeralContainers[*]",
    no(
      spec({ ephemeralContainers: [{ name: "e", image: "i" }] }),
      "spec.ephemeralContainers: Forbidden: cannot be set on create",
    ),
    no(
      spec({ ephemeralContainers: [{ name: "e", image: "i", ports: [{ containerPort: 1 }] }] }),
      "spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container",
    ),
    no(
      spec({ ephemeralContainers: [{ name: "e", image: "i", targetContainerName: "x" }] }),
      'spec.ephemeralContainers[0].targetContainerName: Not found: "x"',
    ),
  ),
  rule(
    "spec.containers[*].terminationMessagePolicy",
    no(
      c({ terminationMessagePolicy: "Odd" }),
      `${at}.terminationMessagePolicy: Invalid value: "Odd": must be 'File' or 'FallbackToLogsOnError'`,
    ),
  ),
  rule(
    "spec.containers[*].securityContext",
    no(
      c({ securityContext: { privileged: true } }),
      `${at}.securityContext.privileged: Forbidden: disallowed by cluster policy`,
      { ...context, allowPrivileged: false },
    ),
    no(
      c({ securityContext: { procMount: "Odd" } }),
      `${at}.securityContext.procMount: Unsupported value: "Odd": supported values: "Default", "Unmasked"`,
    ),
    no(
      c({ securityContext: { capabilities: { add: ["CAP_SYS_ADMIN"] }, allowPrivilegeEscalation: false } }),
      /^.*securityContext: Invalid value: .*: cannot set `allowPrivilegeEscalation` to false and `capabilities\.Add` CAP_SYS_ADMIN$/,
    ),
  ),
  rule(
    "securityContext.runAsUser,runAsGroup,fsGroup,supplementalGroups[*]",
    no(
      security({ runAsUser: -1 }),
      "spec.securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive",
    ),
    no(
      security({ supplementalGroups: [0, 2147483648] }),
      "spec.securityContext.supplementalGroups[1]: Invalid value: 2147483648: must be between 0 and 2147483647, inclusive",
    ),
  ),
  rule(
    "securityContext.sysctls[*].name",
    no(security({ sysctls: [{ name: "", value: "" }] }), "spec.securityContext.sysctls[0].name: Required value"),
    no(
      security({ sysctls: [{ name: "A", value: "" }] }),
      /^.*name: Invalid value: "A": must have at most 253 characters and match regex /,
    ),
    ...["kernel.sem", "kernel.msgmax", "fs.mqueue.x", "kernel.shm_rmid_forced"].map((name) =>
      no(
        { spec: { hostIPC: true, securityContext: { sysctls: [{ name, value: "" }] } } },
        `spec.securityContext.sysctls[0].name: Invalid value: "${name}": may not be specified when 'hostIPC' is true`,
      ),
    ),
    no(
      { spec: { hostNetwork: true, securityContext: { sysctls: [{ name: "net/ipv4", value: "" }] } } },
      `spec.securityContext.sysctls[0].name: Invalid value: "net/ipv4": may not be specified when 'hostNetwork' is true`,
    ),
  ),
  rule(
    "securityContext.seccompProfile",
    no(
      security({ seccompProfile: { type: "Odd" } }),
      'spec.securityContext.seccompProfile.type: Unsupported value: "Odd": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
    ),
    no(
      security({ seccompProfile: { type: "Localhost" } }),
      "spec.securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost",
    ),
    no(
      security({ seccompProfile: { type: "Unconfined", localhostProfile: "a" } }),
      'spec.securityContext.seccompProfile.localhostProfile: Invalid value: "a": can only be set when seccomp type is Localhost',
    ),
  ),
  rule(
    "securityContext.fsGroupChangePolicy",
    no(
      security({ fsGroupChangePolicy: "Odd" }),
      'spec.securityContext.fsGroupChangePolicy: Unsupported value: "Odd": supported values: "Always", "OnRootMismatch"',
    ),
  ),
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
