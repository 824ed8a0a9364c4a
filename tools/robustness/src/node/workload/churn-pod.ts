import type { core } from "@orchernetes/api";
import type { Manifest } from "@orchernetes/client";

/** Kinds of pods, by what of the host they need. */
export const podKinds = ["plain", "volumes", "init", "port", "probe", "short"] as const;
export type PodKind = (typeof podKinds)[number];

/** The secret and the config map that pods of kind `volumes` have. */
export const OBJECT = "content";

type Spec = NonNullable<Manifest<core.Pod>["spec"]>;

const image = { image: "localhost/busybox:1", imagePullPolicy: "IfNotPresent" } as const;
const main = { name: "main", ...image, command: ["sleep", "3600"] } as const;

/** What the kinds differ in. A pod of kind `short` ends by itself; each of the others runs until it is deleted. */
const specs: Readonly<Record<PodKind, (hostPort: number) => Spec>> = {
  plain: () => ({ containers: [main] }),
  volumes: () => ({
    containers: [
      {
        ...main,
        volumeMounts: [
          { name: "memory", mountPath: "/memory" },
          { name: "secret", mountPath: "/secret" },
          { name: "config", mountPath: "/key", subPath: "key" },
          { name: "disk", mountPath: "/disk", subPath: "a/b" },
        ],
      },
      { name: "second", ...image, command: ["sleep", "3600"] },
    ],
    volumes: [
      { name: "memory", emptyDir: { medium: "Memory" } },
      { name: "disk", emptyDir: {} },
      { name: "secret", secret: { secretName: OBJECT } },
      { name: "config", configMap: { name: OBJECT } },
    ],
  }),
  init: () => ({ initContainers: [{ name: "first", ...image, command: ["true"] }], containers: [main] }),
  port: (hostPort) => ({ containers: [{ ...main, ports: [{ containerPort: 80, hostPort }] }] }),
  probe: () => ({
    containers: [{ ...main, readinessProbe: { exec: { command: ["true"] }, periodSeconds: 1, timeoutSeconds: 10 } }],
  }),
  short: () => ({ restartPolicy: "Never", containers: [{ ...main, command: ["sh", "-c", "echo done"] }] }),
};

/**
 * A pod for the node.
 *
 * @param hostPort for a pod of kind `port`; no other pod of the node may have it
 */
export const churnPod = (name: string, kind: PodKind, nodeName: string, hostPort: number): Manifest<core.Pod> => ({
  metadata: { name, labels: { kind } },
  spec: { nodeName, terminationGracePeriodSeconds: 1, ...specs[kind](hostPort) },
});
