import { pods } from "../../src/core/v1/pod.ts";
import { context } from "../support.ts";
import { rulesOf } from "./rule.ts";

const { rule, no, ok } = rulesOf("Pod", pods);
const spec = (more: object): object => ({ spec: more });
const c = (more: object): object => spec({ containers: [{ name: "c", image: "i", ...more }] });
const security = (securityContext: object): object => spec({ securityContext });
const at = "spec.containers[0]";
const label = /^.*: Invalid value: ".*": a lowercase RFC 1123 label must consist of/;
const env = (valueFrom: object, value?: string): object => c({ env: [{ name: "A", value, valueFrom }] });
const fieldRef = (fieldPath: string): object => env({ fieldRef: { fieldPath } });
const resourceRef = (resource: string, divisor?: string): object => env({ resourceFieldRef: { resource, divisor } });
const probe = (more: object): object => c({ livenessProbe: { exec: { command: ["x"] }, ...more } });

/** Containers, their probes and their privileges. */
export const containerRules = [
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
];
