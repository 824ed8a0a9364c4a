import type { TypeDocumentation } from "@orchernetes/apimachinery";
import { protocol } from "./phrases.ts";

const name =
  "Name of the container, unique among all containers of the pod: lower-case letters, digits and '-', at most 63 characters.";
const terminationMessagePath =
  "File in the container into which the program may write a last message. Up to 4096 bytes of it end up in the container's status when it ends. Default /dev/termination-log. Immutable.";
const notForEphemeral = "Not allowed for ephemeral containers.";

const common = {
  image:
    "Image to run, as REGISTRY/REPOSITORY:TAG or with a digest. May be left out only in templates that something else completes. Can be changed in a running pod, which restarts the container.",
  command:
    "Program to run, in place of the image's entrypoint, one item each for program and arguments; no shell is involved. $(NAME) is replaced by the environment variable NAME, $$(NAME) yields a literal $(NAME). Immutable.",
  args: "Arguments for the program, in place of the image's own. Variables are replaced as in command. Immutable.",
  workingDir: "Directory that the program starts in. If left out, the image or else the runtime decides. Immutable.",
  envFrom:
    "Config maps and secrets whose values all become environment variables. If several of them have the same key, the last one applies, and env takes precedence over all. Immutable.",
  env: "Environment variables of the program. Immutable.",
  volumeMounts: "Volumes of the pod that are mounted into the container, and where. Immutable.",
  volumeDevices: "Block devices that the container gets, from claims with the volume mode Block. Immutable.",
  terminationMessagePath,
  terminationMessagePolicy:
    "Where the last message comes from: File takes terminationMessagePath alone, FallbackToLogsOnError takes the end of the log (80 lines or 2048 bytes at most) if that file is empty and the program failed. Default File. Immutable.",
  imagePullPolicy:
    "When the image is pulled: Always (before every start; unchanged layers are not loaded again), IfNotPresent (only if the node does not have it) or Never (the start fails if the node does not have it). Default Always for the tag latest or none, else IfNotPresent. Immutable.",
  stdin:
    "Keeps standard input open, so that clients can attach to it. Otherwise reads return end of file immediately. Default false.",
  stdinOnce:
    "Closes standard input when the first client that attached leaves, until the container is restarted. Requires stdin. Default false.",
  tty: "Gives the program a terminal. Needs stdin. Default false.",
};

const ephemeral = {
  name,
  ...common,
  image: "Image to run, as REGISTRY/REPOSITORY:TAG or with a digest. Required and immutable.",
  ports: notForEphemeral,
  resources: `${notForEphemeral} They use spare resources that are already allocated to the pod.`,
  resizePolicy: notForEphemeral,
  livenessProbe: notForEphemeral,
  readinessProbe: notForEphemeral,
  startupProbe: notForEphemeral,
  lifecycle: notForEphemeral,
  securityContext: "Security settings of the container. They take precedence over those of the pod.",
};

/** Texts of the types in `types/container.ts`. */
export const documentation: TypeDocumentation = {
  ContainerPort: {
    "": "A port that a container listens on. Listing it is information, except for hostPort and for the name: ports that are not listed can be reached all the same.",
    name: "Name of the port, unique within the pod, for services and probes to refer to: at most 15 lower-case letters, digits and '-', with at least one letter.",
    hostPort:
      "Port of the node that leads to the container, 1 to 65535. Two pods with the same one never share a node. With hostNetwork it must equal containerPort. Rarely needed.",
    containerPort: "Port in the container, 1 to 65535.",
    protocol: `${protocol} Default TCP.`,
    hostIP: "Address of the node that hostPort is bound to. All addresses if left out.",
  },
  VolumeMount: {
    "": "Mounts a volume of the pod into a container.",
    name: "Name of the volume, as listed in the pod's volumes.",
    readOnly: "Mounts it read-only if true. Default false.",
    mountPath: "Path in the container to mount it at. Unique within the container and without ':'.",
    subPath:
      "Path within the volume of what is mounted, in place of its root. Relative and without '..'. Later changes of config maps and secrets do not show in such mounts.",
    mountPropagation:
      "Whether mounts made inside the volume later on are seen: None (neither way), HostToContainer (those of the node show in the container) or Bidirectional (also the other way round; privileged containers only). Default None.",
    subPathExpr:
      "Like subPath, with $(NAME) replaced by the container's environment variable NAME. Not together with subPath.",
  },
  VolumeDevice: {
    "": "Gives a container the block device behind a volume.",
    name: "Name of the volume, as listed in the pod's volumes. Its source is a claim with the volume mode Block.",
    devicePath: "Path in the container at which the device appears.",
  },
  ContainerResizePolicy: {
    "": "How a change of a resource is applied to a running container. Needs the feature gate InPlacePodVerticalScaling.",
    resourceName: "The resource: cpu or memory.",
    restartPolicy:
      "NotRequired (the change is applied to the running container) or RestartContainer (the container is restarted). Default NotRequired.",
  },
  ResourceRequirements: {
    "": "The requested and the largest permitted resources of a container or volume claim.",
    limits:
      "The largest amounts that may be used, by resource name such as cpu, memory or ephemeral-storage. A container is throttled when it exceeds its CPU limit, and killed when it exceeds its memory limit.",
    requests:
      "What is requested and reserved; the scheduler only considers nodes with that much left. Equals limits for resources where only those are set, and is never more than them.",
    claims:
      "Claims of the pod's resourceClaims that the container uses. Needs the feature gate DynamicResourceAllocation. Immutable, and only for containers.",
  },
  ResourceClaim: {
    "": "Names a claim of the pod that a container uses.",
    name: "Name of an entry of the pod's resourceClaims.",
  },
  Container: {
    "": "A program that a pod runs, with its image, environment and security settings.",
    name: `${name} Cannot be changed.`,
    ...common,
    ports: "Ports that the container listens on. Informational; it does not restrict access to other ports. Immutable.",
    resources:
      "How much CPU, memory and other resources the container requests and may use at most. Immutable in a running pod unless in-place resizing is on.",
    resizePolicy:
      "How a change of individual resources is applied to the running container. Needs the feature gate InPlacePodVerticalScaling.",
    livenessProbe:
      "Check whether the container still works. When it fails, the container is killed and restarted as restartPolicy says. Not for init containers. Immutable.",
    readinessProbe:
      "Check whether the container can take traffic. While it fails, the pod is not ready and gets none from services. Not for init containers. Immutable.",
    startupProbe:
      "Check whether the container has started up. The other probes wait until it succeeds; when it fails, the container is killed as with a liveness probe. Not for init containers. Immutable.",
    lifecycle:
      "What to do right after the start and right before the stop of the container. Not for init containers. Immutable.",
    securityContext: "Security settings of the container. They take precedence over those of the pod.",
  },
  EphemeralContainerCommon: {
    "": "The fields that an ephemeral container shares with ordinary ones. Several exist for compatibility only and must stay empty.",
    ...ephemeral,
  },
  EphemeralContainer: {
    "": "A container that is added to a running pod for debugging. It has no guaranteed resources, is never restarted, and can be neither changed nor removed. It is added through the ephemeralcontainers subresource.",
    ...ephemeral,
    targetContainerName:
      "Container of the pod whose process namespace this one joins, where the runtime supports it. If left out, only the pod's shared namespaces are visible.",
  },
};
