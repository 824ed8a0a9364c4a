import type { TypeDocumentation } from "@orchernetes/apimachinery";

/** Texts of the types in `types/container-status.ts`. */
export const documentation: TypeDocumentation = {
  ContainerStateWaiting: {
    "": "A container that is not running yet, or not running again yet.",
    reason:
      "Reason why the container waits, as a word such as ContainerCreating, ErrImagePull, ImagePullBackOff or CrashLoopBackOff.",
    message: "A human-readable reason why the container waits.",
  },
  ContainerStateRunning: {
    "": "A running container.",
    startedAt: "When it was last started.",
  },
  ContainerStateTerminated: {
    "": "A container that ran and has ended.",
    exitCode: "Exit code of the container's program; 128 plus the signal's number if a signal ended it.",
    signal: "Number of the signal that ended the program, if the runtime reports it.",
    reason: "Reason why the container ended, as a word such as Completed, Error or OOMKilled.",
    message:
      "What the program wrote to terminationMessagePath, or the end of its log if terminationMessagePolicy says so.",
    startedAt: "When this run began.",
    finishedAt: "When this run ended.",
    containerID: "Identifier of the container in the runtime, as TYPE://ID.",
  },
  ContainerState: {
    "": "What a container is doing: one of waiting, running and terminated. If none is set, the container is waiting.",
    waiting: "Set while the container is not running yet.",
    running: "Set while the container runs.",
    terminated: "Set once the container has ended.",
  },
  ContainerStatus: {
    "": "What the orchlet last saw of one container of a pod.",
    name: "Name of the container in the pod's spec. Cannot change.",
    state: "What the container is doing now.",
    lastState:
      "How the run before the last restart ended, so that the reason for it can be looked up. Empty before the first restart.",
    ready:
      "Whether the container takes part in the pod's readiness: it runs, and its readiness probe, if any, succeeds. For an init container it is true once it has succeeded.",
    restartCount:
      "How often the container was restarted. Counted from the dead containers that are still kept, so that it may be too low once these are cleaned up.",
    image: "Image that the container runs. May be written differently from the spec, as the runtime resolved it.",
    imageID: "Exact identity of the image, with its digest where the runtime knows it.",
    containerID: "Identifier of the container in the runtime, as TYPE://ID, such as containerd://4f1c.",
    started:
      "Whether the container has started up: the startup probe has succeeded, or there is none and it runs. False again after a restart.",
    allocatedResources:
      "Requests that the node has reserved for the container. Set only with the feature gate InPlacePodVerticalScaling.",
    resources:
      "Requests and limits that the running container has. Set only with the feature gate InPlacePodVerticalScaling.",
  },
  ContainerImage: {
    "": "An image that is stored on a node.",
    names: "Names that the image is known by, with tags and with digests.",
    sizeBytes: "Size of the image in bytes.",
  },
};
