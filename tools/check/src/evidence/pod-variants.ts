/** What a harmless pod gets to become one that a policy may reject. */
interface PodVariant {
  /** Fields of the pod's spec. */
  readonly pod?: object;
  /** Fields of its container. */
  readonly container?: object;
}

/** Name of a variant in {@link podVariants}. */
export type PodVariantName = keyof typeof podVariants;

/** Variants of the harmless pod, each with one thing that a policy may forbid. */
export const podVariants = {
  privileged: { container: { securityContext: { privileged: true } } },
  hostPID: { pod: { hostPID: true } },
  hostIPC: { pod: { hostIPC: true } },
  hostNetwork: { pod: { hostNetwork: true } },
  addedCapability: {
    container: {
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"], add: ["SYS_ADMIN"] } },
    },
  },
  hostProcess: {
    pod: {
      hostNetwork: true,
      securityContext: { windowsOptions: { hostProcess: true, runAsUserName: "NT AUTHORITY\\SYSTEM" } },
    },
  },
  hostPath: { pod: { volumes: [{ name: "host", hostPath: { path: "/" } }] } },
  hostPort: { container: { ports: [{ containerPort: 80, hostPort: 80 }] } },
  privilegeEscalation: {
    container: { securityContext: { allowPrivilegeEscalation: true, capabilities: { drop: ["ALL"] } } },
  },
  root: { pod: { securityContext: { runAsNonRoot: false, seccompProfile: { type: "RuntimeDefault" } } } },
  allCapabilities: { container: { securityContext: { allowPrivilegeEscalation: false } } },
} as const satisfies Readonly<Record<string, PodVariant>>;

/** A pod that every policy admits. It is created with dryRun only. */
export function variantPod({ pod = {}, container = {} }: PodVariant): object {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { generateName: "orch-check-" },
    spec: {
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 65_534, seccompProfile: { type: "RuntimeDefault" } },
      ...pod,
      containers: [
        {
          name: "check",
          image: "localhost/orch-check:1",
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
          // Quotas may require both.
          resources: { limits: { cpu: "1m", memory: "1Mi" }, requests: { cpu: "1m", memory: "1Mi" } },
          ...container,
        },
      ],
    },
  };
}
