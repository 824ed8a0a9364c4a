import type { Control } from "../../control.ts";
import type { Container, Evidence, Pod } from "../../evidence/evidence.ts";
import { isSystemNamespace } from "../../evidence/user-namespaces.ts";
import { fieldOf } from "../shared/node-control.ts";
import { nameOf, objectControl } from "../shared/object-control.ts";

const isOfUser = ({ metadata }: Pod): boolean => !isSystemNamespace(metadata.namespace);
const containersOf = ({ spec }: Pod): readonly Container[] => [...spec.containers, ...(spec.initContainers ?? [])];

/** Whether each container has a seccomp profile, its own or that of its pod. */
const isConfined = (pod: Pod): boolean =>
  containersOf(pod).every(({ securityContext }) => {
    const { type } = securityContext?.seccompProfile ?? pod.spec.securityContext?.seccompProfile ?? {};
    return type === "RuntimeDefault" || type === "Localhost";
  });

/** Whether agents confine containers that ask for no profile. */
const confinedByDefault = ({ nodes }: Evidence): boolean =>
  nodes.length > 0 && nodes.every(({ settings }) => fieldOf(settings, "seccompDefault") === true);

const isEmpty = (value: object | undefined): boolean => Object.keys(value ?? {}).length === 0;

/** Section 5.7: how workloads are arranged. */
export const general: readonly Control[] = [
  objectControl({
    number: "5.7.1",
    title: "Workloads are in namespaces of their own",
    severity: "warn",
    what: "pods in namespace default while it is the only one of users",
    none: "no pods share namespace default for want of others",
    remedy: "create a namespace for each team or program",
    offenders: ({ namespaces, pods }) => {
      const own = namespaces.filter(({ metadata: { name } }) => name !== "default" && !isSystemNamespace(name));
      return own.length > 0 ? [] : pods.filter(({ metadata }) => metadata.namespace === "default").map(nameOf);
    },
  }),
  objectControl({
    number: "5.7.2",
    title: "Containers are confined by a seccomp profile",
    severity: "warn",
    what: "pods without a profile",
    none: "every pod has a profile, or its node's agent gives it one (seccompDefault)",
    remedy: "seccompProfile: {type: RuntimeDefault} in the pod, or OrchletConfiguration: seccompDefault: true",
    offenders: ({ pods }, evidence) =>
      confinedByDefault(evidence) ? [] : pods.filter((pod) => isOfUser(pod) && !isConfined(pod)).map(nameOf),
  }),
  objectControl({
    number: "5.7.3",
    title: "Pods have security settings",
    severity: "warn",
    what: "pods without a security context",
    none: "every pod of users has a security context",
    remedy: "securityContext in the pod or its containers",
    offenders: ({ pods }) =>
      pods
        .filter(
          (pod) =>
            isOfUser(pod) &&
            isEmpty(pod.spec.securityContext) &&
            containersOf(pod).some(({ securityContext }) => isEmpty(securityContext)),
        )
        .map(nameOf),
  }),
  objectControl({
    number: "5.7.4",
    title: "Namespace default is empty",
    severity: "warn",
    what: "objects in it",
    none: "it holds nothing but the API server's own service",
    remedy: "move the objects to a namespace of their own",
    offenders: ({ pods, services }) => [
      ...pods.filter(({ metadata }) => metadata.namespace === "default").map((pod) => `pod ${pod.metadata.name}`),
      ...services
        .filter(({ metadata }) => metadata.namespace === "default" && metadata.name !== "orchernetes")
        .map((service) => `service ${service.metadata.name}`),
    ],
  }),
];
