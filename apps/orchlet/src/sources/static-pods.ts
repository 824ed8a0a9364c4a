import type { core } from "@orchernetes/api";
import type { Client } from "@orchernetes/client";
import type { OrchletConfiguration } from "@orchernetes/config";
import { type Clock, KeyedQueue, type Logger } from "@orchernetes/kernel";
import type { PodManager } from "../pods/pod-manager.ts";
import { deleteMirror, ensureMirror } from "./mirror-pods.ts";
import { followAddress, followManifests, type OnStaticPods } from "./static-source.ts";

/** The static pods of this node and their mirrors. */
export interface StaticPods {
  /** Starts watching the sources; resolves when each has been read once, or has failed for a while. */
  start(): Promise<void>;
  /** Whether each source has been read once; only then is a missing pod known to be deleted. */
  allRead(): boolean;
  /** Handles a mirror pod that was added, changed or deleted. */
  mirrorChanged(mirror: core.Pod): void;
  /** Creates all missing mirror pods, and deletes those whose static pod is gone. */
  mirrorAll(): void;
}

/** Maximum time to wait for the first read of a source before the agent starts other pods. */
const firstReadMs = 2000;

/** The sources of static pods, and the components that run and show them. */
export interface StaticPodsOptions {
  readonly settings: OrchletConfiguration;
  readonly nodeName: string;
  readonly client: Client | undefined;
  readonly manager: PodManager;
  /** The pod with this name on the API server. */
  readonly shown: (namespace: string, name: string) => core.Pod | undefined;
  /** All mirror pods of this node on the API server. */
  readonly mirrors: () => readonly core.Pod[];
  /** Whether the API server's pods have been read once; no mirror pod is deleted before. */
  readonly apiRead: () => boolean;
  readonly nodeUid: () => string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** Creates the static pods of this node. {@link StaticPods.start} starts to watch the sources. */
export function createStaticPods(options: StaticPodsOptions): StaticPods {
  const { nodeName, client, manager, nodeUid, clock, logger, signal } = options;
  const wanted = new Map<string, ReadonlyMap<string, core.Pod>>();
  const queue = new KeyedQueue();
  const unread = new Set<string>();
  let started = false;
  const allRead = (): boolean => started && unread.size === 0;

  const find = (namespace: string, name: string): core.Pod | undefined => {
    for (const pods of wanted.values())
      for (const pod of pods.values())
        if (pod.metadata.namespace === namespace && pod.metadata.name === name) return pod;
    return undefined;
  };

  /**
   * Synchronizes the mirror pod of a static pod. Calls for one pod are serialized; each reads the state when it starts.
   */
  const mirror = (namespace: string, name: string): void => {
    const key = `${namespace}/${name}`;
    void queue.run(key, async () => {
      const uid = nodeUid();
      if (client === undefined || uid === undefined || signal.aborted) return;
      const pod = find(namespace, name);
      const shown = options.shown(namespace, name);
      try {
        // The mirror pod of a pod that terminates stays until it has, and that of its successor follows when the successor starts.
        if (pod !== undefined) {
          if (!manager.isWaiting(pod.metadata.uid ?? ""))
            await ensureMirror(client, pod, shown, { name: nodeName, uid });
        } else if (shown !== undefined && allRead() && options.apiRead() && !manager.isEnding(namespace, name))
          await deleteMirror(client, shown);
      } catch (error) {
        logger.error(error, "Failed to synchronize a mirror pod", { pod: key });
        clock.setTimeout(() => mirror(namespace, name), 10_000);
      }
      if (pod !== undefined) manager.wake(pod.metadata.uid ?? "");
    });
  };

  const onPods = (source: string) => (pods: readonly core.Pod[]) => {
    const before = wanted.get(source) ?? new Map<string, core.Pod>();
    const now = new Map(pods.map((pod) => [pod.metadata.uid ?? "", pod] as const));
    wanted.set(source, now);
    for (const [uid, pod] of before) {
      if (now.has(uid)) continue;
      manager.remove(uid);
      mirror(pod.metadata.namespace ?? "", pod.metadata.name ?? "");
    }
    for (const pod of pods) {
      manager.set(pod);
      mirror(pod.metadata.namespace ?? "", pod.metadata.name ?? "");
    }
  };

  const mirrorAll = (): void => {
    for (const pods of wanted.values())
      for (const { metadata } of pods.values()) mirror(metadata.namespace ?? "", metadata.name ?? "");
    for (const { metadata } of options.mirrors()) mirror(metadata.namespace ?? "", metadata.name ?? "");
  };

  manager.onStaticGone(mirror);
  return {
    async start() {
      const reads: Promise<void>[] = [];
      const follow = (source: string, run: (onPods: OnStaticPods) => Promise<void>): void => {
        const first = Promise.withResolvers<void>();
        const apply = onPods(source);
        unread.add(source);
        void run((pods) => {
          apply(pods);
          first.resolve();
          if (unread.delete(source) && unread.size === 0) mirrorAll();
        }).catch((error: unknown) => logger.error(error, "Static pods are no longer followed", { source }));
        reads.push(Promise.race([first.promise, clock.sleep(firstReadMs, signal).catch(() => undefined)]));
      };
      for (const { source, run } of sourcesOf(options)) follow(source, run);
      started = true;
      await Promise.all(reads);
    },
    allRead,
    mirrorChanged: ({ metadata }) => mirror(metadata.namespace ?? "", metadata.name ?? ""),
    mirrorAll,
  };
}

/** The sources that are configured. */
function sourcesOf({ settings, nodeName, clock, logger, signal }: StaticPodsOptions): readonly {
  readonly source: string;
  readonly run: (onPods: OnStaticPods) => Promise<void>;
}[] {
  const { staticPodPath, staticPodURL, staticPodURLHeader } = settings;
  const common = { nodeName, clock, logger, signal };
  const file = (onPods: OnStaticPods) =>
    followManifests(staticPodPath, { ...common, periodMs: settings.fileCheckFrequency, onPods });
  const http = (onPods: OnStaticPods) =>
    followAddress(staticPodURL, staticPodURLHeader, { ...common, periodMs: settings.httpCheckFrequency, onPods });
  return [
    ...(staticPodPath === "" ? [] : [{ source: "file", run: file }]),
    ...(staticPodURL === "" ? [] : [{ source: "http", run: http }]),
  ];
}
