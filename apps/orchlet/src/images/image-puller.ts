import type { core } from "@orchernetes/api";
import { formatDuration } from "@orchernetes/apimachinery";
import { createTokenBucket, unlimited } from "@orchernetes/client";
import type { AuthConfig, CriClient, Init, PodSandboxConfig } from "@orchernetes/cri";
import { type Clock, messageOf } from "@orchernetes/kernel";
import { ContainerStartError } from "../types/start-error.ts";
import { Backoff } from "../util/backoff.ts";
import { limiter } from "../util/limiter.ts";
import { parseImageName } from "./image-name.ts";

/** Records an event about a pod or one of its containers. */
export type RecordEvent = (type: "Normal" | "Warning", reason: string, message: string) => void;

/** Provides the images of containers. */
export interface ImagePuller {
  /**
   * Ensures that the image is present, according to the container's pull policy. Failures of an image are followed by a
   * back-off that applies to all containers of the pod with that image.
   *
   * @returns the id of the image, by which the container is created
   *
   * @throws ContainerStartError with reason ErrImageNeverPull, ErrImagePull, ImagePullBackOff, InvalidImageName or
   *   ImageInspectError
   */
  ensure(request: {
    readonly container: core.Container;
    readonly podUid: string;
    readonly sandboxConfig: Init<PodSandboxConfig>;
    /** Called only when an image has to be pulled. */
    readonly credentials: () => Promise<readonly Init<AuthConfig>[]>;
    readonly recordEvent: RecordEvent;
    readonly signal: AbortSignal;
  }): Promise<string>;
  /** Drops the back-offs of a pod that is gone. */
  forget(podUid: string): void;
}

/** Bounds of the back-off after failed pulls. */
const initialMs = 10_000;
const maxMs = 300_000;
/** Maximum length of an invalid name in a message, in characters. The API does not limit it. */
const shownLength = 256;

/** The runtime, and the limits of pulls. */
interface ImagePullerOptions {
  readonly cri: CriClient;
  readonly clock: Clock;
  /** Maximum number of concurrent pulls; undefined for no limit. */
  readonly parallel: number | undefined;
  /** Pulls per second (`registryPullQPS`); one beyond it fails and is repeated after its back-off. @default 0, for no limit */
  readonly qps?: number;
  /** Called when an image of a pod was pulled, with the duration. @default pulls are not measured */
  readonly onPulled?: (podUid: string, ms: number) => void;
  /** Pulls at once, if {@link qps} is limited. */
  readonly burst?: number;
}

/** Creates the provider of the images of this node's containers. */
export function createImagePuller(options: ImagePullerOptions): ImagePuller {
  const { cri, clock, qps = 0, burst = 0 } = options;
  const pulls = qps > 0 ? createTokenBucket({ qps, burst, clock }) : unlimited;
  const backoff = new Backoff(initialMs, maxMs);
  const failedAt = new Map<string, number>();
  const withPullSlot = limiter(options.parallel ?? Number.POSITIVE_INFINITY);

  const localImage = async (image: string, name: string, recordEvent: RecordEvent): Promise<string | undefined> => {
    try {
      return (await cri.images.imageStatus({ image: { image } })).image?.id;
    } catch (error) {
      const message = `Failed to inspect image "${name}": ${messageOf(error)}`;
      recordEvent("Warning", "InspectFailed", message);
      throw new ContainerStartError("ImageInspectError", message);
    }
  };

  return {
    async ensure({ container, podUid, sandboxConfig, credentials, recordEvent, signal }) {
      const parsed = parseImageName(container.image ?? "");
      if ("error" in parsed) {
        const shown = JSON.stringify((container.image ?? "").slice(0, shownLength));
        const message = `Failed to apply default image tag ${shown}: couldn't parse image name ${shown}: ${parsed.error}`;
        recordEvent("Warning", "InspectFailed", message);
        throw new ContainerStartError("InvalidImageName", message);
      }
      const image = parsed.reference;
      const policy = container.imagePullPolicy ?? "IfNotPresent";
      const local = await localImage(image, container.image ?? "", recordEvent);
      if (policy !== "Always" && local !== undefined) {
        recordEvent("Normal", "Pulled", `Container image "${container.image}" already present on machine`);
        return local;
      }
      if (policy === "Never") {
        const message = `Container image "${container.image}" is not present with pull policy of Never`;
        recordEvent("Warning", "ErrImageNeverPull", message);
        throw new ContainerStartError("ErrImageNeverPull", message);
      }
      const key = `${podUid}_${image}`;
      const left = backoff.remaining(key, failedAt.get(key) ?? 0, clock.monotonicMs());
      if (left > 0) {
        const message = `Back-off pulling image "${container.image}"`;
        recordEvent("Normal", "BackOff", message);
        throw new ContainerStartError("ImagePullBackOff", message, { retryInMs: left });
      }
      recordEvent("Normal", "Pulling", `Pulling image "${container.image}"`);
      const requestedMs = clock.monotonicMs();
      try {
        return await withPullSlot(async () => {
          if (!pulls.tryTake()) throw new Error("pull QPS exceeded");
          const startedMs = clock.monotonicMs();
          const id = await pull(cri, image, await credentials(), sandboxConfig, signal);
          const tookMs = clock.monotonicMs() - startedMs;
          options.onPulled?.(podUid, tookMs);
          const took = formatDuration(tookMs);
          const all = formatDuration(clock.monotonicMs() - requestedMs);
          recordEvent(
            "Normal",
            "Pulled",
            `Successfully pulled image "${container.image}" in ${took} (${all} including waiting)`,
          );
          return id;
        }, signal);
      } catch (error) {
        // A pull that was interrupted is no failure of the image.
        signal.throwIfAborted();
        const nowMs = clock.monotonicMs();
        backoff.next(key, nowMs);
        failedAt.set(key, nowMs);
        recordEvent("Warning", "Failed", `Failed to pull image "${container.image}": ${messageOf(error)}`);
        throw new ContainerStartError("ErrImagePull", messageOf(error), { retryInMs: backoff.delay(key) });
      }
    },
    forget(podUid) {
      backoff.forget(`${podUid}_`);
      for (const key of failedAt.keys()) if (key.startsWith(`${podUid}_`)) failedAt.delete(key);
    },
  };
}

/** Pulls with each of the credentials in turn, or without any. @throws Error with the different messages of all attempts, as in the original */
async function pull(
  cri: CriClient,
  image: string,
  credentials: readonly Init<AuthConfig>[],
  sandboxConfig: Init<PodSandboxConfig>,
  signal: AbortSignal,
): Promise<string> {
  const attempts: readonly (Init<AuthConfig> | undefined)[] = credentials.length === 0 ? [undefined] : credentials;
  const failures: unknown[] = [];
  for (const auth of attempts) {
    try {
      const { imageRef } = await cri.images.pullImage({ image: { image }, auth, sandboxConfig }, { signal });
      return imageRef;
    } catch (error) {
      signal.throwIfAborted();
      failures.push(error);
    }
  }
  const messages = [...new Set(failures.map(messageOf))];
  throw messages.length === 1 ? failures[0] : new AggregateError(failures, `[${messages.join(", ")}]`);
}
