import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { core } from "@orchernetes/api";
import type { Counter } from "@orchernetes/component";
import { type AuthConfig, type CriClient, type Init, isCriError } from "@orchernetes/cri";
import { type Clock, messageOf } from "@orchernetes/kernel";
import type { PodCgroups } from "../container-manager/cgroups/pod-cgroups.ts";
import type { DeviceOptions } from "../container-manager/device-manager/device-options.ts";
import type { Placement } from "../container-manager/resource-manager/resource-manager.ts";
import { containerConfigOf } from "../containers/container-config.ts";
import { volumeDevicesOf } from "../containers/devices.ts";
import { type DnsSettings, dnsConfigOf } from "../containers/dns.ts";
import { environmentOf } from "../containers/environment.ts";
import { writeHosts } from "../containers/etc-hosts.ts";
import { mountsOf } from "../containers/mounts.ts";
import { type ContainerResourcePolicy, linuxResources } from "../containers/resources.ts";
import { sandboxConfigOf } from "../containers/sandbox-config.ts";
import { type SecurityDefaults, securityContextOf } from "../containers/security-context.ts";
import { parseImageName } from "../images/image-name.ts";
import type { ImagePuller, RecordEvent } from "../images/image-puller.ts";
import type { PodFacts } from "../objects/field-refs.ts";
import type { ObjectReader } from "../objects/object-reader.ts";
import { latestContainer, type PodRuntime, readySandbox } from "../runtime/pod-runtime.ts";
import type { RuntimeHandlers } from "../runtime/runtime-handlers.ts";
import { type ContainerRef, identityOf, podText } from "../types/pod-identity.ts";
import { ContainerStartError, PodStartError } from "../types/start-error.ts";
import type { Paths } from "../util/paths.ts";
import type { PreparedVolume } from "../volumes/prepare-volume.ts";
import type { ContainerKiller } from "./container-killer.ts";
import { fallbackReason, runHook } from "./hooks.ts";
import { createStartSlots } from "./start-slots.ts";

/** Delay before a pod is started again that waits for the network. */
const networkRetryMs = 1000;

/** Creates sandboxes and starts containers. */
export interface PodStarter {
  /**
   * Creates and starts a sandbox. Waits for a free slot first.
   *
   * @throws PodStartError if the network is not ready or the pod's control group cannot be created; CriError; ApiError if the pod's runtime class does not exist; the signal's reason
   */
  createSandbox(pod: core.Pod, attempt: number, recordEvent: RecordEvent, signal: AbortSignal): Promise<void>;
  /**
   * Pulls the image, creates the container, starts it and runs its postStart hook.
   *
   * @returns the container's id
   * @throws ContainerStartError; the signal's reason
   */
  startContainer(request: StartRequest): Promise<string>;
}

interface StartRequest {
  readonly pod: core.Pod;
  readonly ref: ContainerRef;
  readonly restartCount: number;
  readonly runtime: PodRuntime;
  readonly volumes: ReadonlyMap<string, PreparedVolume>;
  readonly facts: PodFacts;
  readonly recordEvent: RecordEvent;
  readonly signal: AbortSignal;
}

type CreateContainerRequest = Parameters<CriClient["runtime"]["createContainer"]>[0];

/** The settings of the node and the sources from which containers are configured. */
export interface PodStarterOptions {
  readonly cri: CriClient;
  readonly puller: ImagePuller;
  /** Stops containers whose postStart hook failed. */
  readonly killer: Pick<ContainerKiller, "killStarted">;
  readonly cgroups: PodCgroups;
  /** Why sandboxes with a network of their own cannot be created now; undefined if they can. */
  readonly networkError: () => Promise<string | undefined>;
  readonly runtimeHandlers: RuntimeHandlers;
  /**
   * How many sandboxes and containers the runtime creates at a time. With too many, all pods of a burst would become ready only at its
   * end.
   */
  readonly parallelStarts: number;
  readonly clock: Pick<Clock, "monotonicMs" | "setTimeout">;
  readonly paths: Paths;
  readonly objects: (podUid: string) => ObjectReader;
  readonly services: () => readonly core.Service[];
  readonly security: SecurityDefaults;
  readonly dns: () => Promise<DnsSettings>;
  readonly resources: ContainerResourcePolicy;
  /** Sets up more of the network of a new sandbox that has one of its own; does not reject. @default nothing */
  readonly afterSandbox?: ((podSandboxId: string) => Promise<void>) | undefined;
  /** Which CPUs and memory a container may use. */
  readonly placement: (podUid: string, container: string) => Placement;
  /** What a container gets with its devices. Rejects if it cannot start without them. */
  readonly prepareDevices: (pod: core.Pod, container: core.Container, signal: AbortSignal) => Promise<DeviceOptions>;
  /** Credentials for an image of a pod. */
  readonly credentials: (pod: core.Pod, image: string) => Promise<readonly Init<AuthConfig>[]>;
  /** Counts the requests of hooks that were repeated over HTTP. @default nobody counts them */
  readonly hookFallbacks?: Pick<Counter, "inc">;
}

/** Creates the starter of this node's pods. */
export function createPodStarter(options: PodStarterOptions): PodStarter {
  const { cri, puller, cgroups, paths } = options;
  /** Containers come before further sandboxes: the pods that came first are complete first. */
  const inStartSlot = createStartSlots(options.parallelStarts, options.clock);

  const sandboxConfig = async (pod: core.Pod, attempt: number, recordEvent?: RecordEvent) => {
    const dns = await options.dns();
    return sandboxConfigOf(pod, {
      attempt,
      cgroupParent: await cgroups.ensure(pod).catch(throwCgroupError),
      logDirectory: paths.logs(identityOf(pod)),
      clusterDomain: dns.clusterDomain,
      dns: dnsConfigOf(pod, dns, (reason, message) => recordEvent?.("Warning", reason, message)),
    });
  };

  return {
    async createSandbox(pod, attempt, recordEvent, signal) {
      const networkError = pod.spec.hostNetwork === true ? undefined : await options.networkError();
      if (networkError !== undefined)
        throw new PodStartError("NetworkNotReady", `network is not ready: ${networkError}`, {
          retryInMs: networkRetryMs,
        });
      const runtimeHandler = await options.runtimeHandlers.of(pod, signal);
      const create = async (): Promise<void> => {
        const config = await sandboxConfig(pod, attempt, recordEvent);
        await mkdir(config.logDirectory ?? paths.podLogs, { recursive: true, mode: paths.folderMode });
        const created = await cri.runtime.runPodSandbox({ config, runtimeHandler });
        if (pod.spec.hostNetwork !== true) await options.afterSandbox?.(created.podSandboxId);
      };
      await inStartSlot(identityOf(pod).namespace, create, signal);
    },
    async startContainer(request) {
      const { pod, ref, runtime, recordEvent, signal } = request;
      const { container } = ref;
      const sandbox = readySandbox(runtime);
      if (sandbox === undefined) throw new ContainerStartError("CreateContainerError", "the pod's sandbox is gone");
      const config = await sandboxConfig(pod, sandbox.attempt);
      const imageRef = await puller.ensure({
        container,
        podUid: pod.metadata.uid ?? "",
        sandboxConfig: config,
        credentials: () => options.credentials(pod, referenceOf(container)),
        recordEvent,
        signal,
      });
      signal.throwIfAborted();
      const containerConfig = await configure(options, request, imageRef);
      await mkdir(join(paths.logs(identityOf(pod)), container.name), { recursive: true, mode: paths.folderMode });
      const create: CreateContainerRequest = {
        podSandboxId: sandbox.id,
        config: containerConfig,
        sandboxConfig: config,
      };
      const start = (): Promise<string> => createAndStart(cri, request, create);
      const containerId = await inStartSlot(identityOf(pod).namespace, start, signal, "first");
      recordEvent("Normal", "Started", `Started container ${container.name}`);
      await runPostStart(options, request, containerId);
      return containerId;
    },
  };
}

/** The image with its tag; only valid names are pulled. */
function referenceOf({ image = "" }: core.Container): string {
  const name = parseImageName(image);
  return "reference" in name ? name.reference : image;
}

/** Reports that the control group of a pod could not be created, in the words of the original. */
function throwCgroupError(cause: unknown): never {
  throw new PodStartError("FailedCreatePodContainer", `unable to ensure pod container exists: ${messageOf(cause)}`, {
    cause,
  });
}

/** What the runtime says, without the code of its answer, as in events of the original. */
const textOf = (error: unknown): string => (isCriError(error) ? error.details : messageOf(error));

/** Creates the container and starts it. @throws ContainerStartError */
async function createAndStart(
  cri: CriClient,
  { ref: { container }, runtime, recordEvent }: StartRequest,
  create: CreateContainerRequest,
): Promise<string> {
  // A container that was created but never started is of no use, and nothing else removes it.
  for (const stale of runtime.containers) {
    if (stale.name === container.name && stale.phase === "created")
      await cri.runtime.removeContainer({ containerId: stale.id });
  }
  const { containerId } = await cri.runtime.createContainer(create).catch((error: unknown) => {
    throw new ContainerStartError("CreateContainerError", textOf(error), { cause: error });
  });
  recordEvent("Normal", "Created", `Created container ${container.name}`);
  try {
    await cri.runtime.startContainer({ containerId });
  } catch (error) {
    throw new ContainerStartError("RunContainerError", textOf(error), { cause: error });
  }
  return containerId;
}

/**
 * The configuration of the container.
 *
 * @throws ContainerStartError if an object that it refers to is missing or invalid
 */
async function configure(options: PodStarterOptions, request: StartRequest, imageRef: string) {
  const { cri, paths } = options;
  const { pod, ref, runtime, volumes, facts, recordEvent, signal } = request;
  const { container } = ref;
  try {
    const given = await options.prepareDevices(pod, container, signal);
    const own = await environmentOf({
      pod,
      container,
      facts,
      services: options.services(),
      objects: options.objects(pod.metadata.uid ?? ""),
      onInvalidNames: (message) => recordEvent("Warning", "InvalidEnvironmentVariableNames", message),
    });
    // Variables of the container override those of its devices.
    const environment = new Map([...given.envs, ...own]);
    const { image } = await cri.images.imageStatus({ image: { image: imageRef } });
    const dns = await options.dns();
    const hosts =
      facts.podIPs.length === 0
        ? undefined
        : await writeHosts(paths.etcHosts(pod.metadata.uid ?? ""), pod, {
            podIPs: facts.podIPs,
            clusterDomain: dns.clusterDomain,
            folderMode: paths.folderMode,
          });
    const target =
      "targetContainerName" in container && typeof container.targetContainerName === "string"
        ? latestContainer(runtime, container.targetContainerName)?.id
        : undefined;
    return containerConfigOf(pod, container, {
      imageRef,
      restartCount: request.restartCount,
      environment,
      mounts: [...given.mounts, ...(await mountsOf(pod, container, { volumes, environment, paths, etcHosts: hosts }))],
      devices: [...given.devices, ...volumeDevicesOf(container, volumes)],
      cdiDevices: given.cdiDevices,
      annotations: given.annotations,
      resources: {
        ...linuxResources(pod, container, options.resources),
        ...options.placement(pod.metadata.uid ?? "", container.name),
      },
      security: securityContextOf(pod, container, {
        ...options.security,
        imageUser: { uid: image?.uid, username: image?.username ?? "" },
        podText: podText(identityOf(pod)),
        targetId: target,
      }),
    });
  } catch (error) {
    if (error instanceof ContainerStartError) throw error;
    throw new ContainerStartError("CreateContainerConfigError", textOf(error), { cause: error });
  }
}

/**
 * Runs the postStart hook. If it fails, the container is stopped as any other, with its preStop hook and the grace period of its pod.
 *
 * @throws ContainerStartError; the signal's reason
 */
async function runPostStart(
  { cri, hookFallbacks, killer }: PodStarterOptions,
  request: StartRequest,
  containerId: string,
): Promise<void> {
  const { pod, ref, recordEvent, signal, facts } = request;
  const postStart = ref.container.lifecycle?.postStart;
  if (postStart === undefined) return;
  const target = { containerId, container: ref.container, podIP: facts.podIPs[0] ?? "" };
  try {
    const onFallback = (message: string) => {
      hookFallbacks?.inc();
      recordEvent("Warning", fallbackReason, message);
    };
    await runHook(postStart, target, { cri, podText: podText(identityOf(pod)), signal, onFallback });
  } catch (error) {
    signal.throwIfAborted();
    recordEvent("Warning", "FailedPostStartHook", "PostStartHook failed");
    await killer.killStarted(target, {
      pod,
      graceSeconds: undefined,
      message: "FailedPostStartHook",
      recordEvent: (_, ...event) => recordEvent(...event),
      signal,
    });
    throw new ContainerStartError("PostStartHookError", messageOf(error), { cause: error });
  }
}
