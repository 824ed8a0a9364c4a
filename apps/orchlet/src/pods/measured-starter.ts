import type { Metrics } from "@orchernetes/component";
import type { ContainerKind } from "../types/pod-identity.ts";
import { ContainerStartError } from "../types/start-error.ts";
import type { PodStarter } from "./pod-starter.ts";

const types: Readonly<Record<ContainerKind, string>> = {
  regular: "container",
  init: "init_container",
  ephemeral: "ephemeral_container",
};

/** Wraps a starter so that starts of containers are counted, and those that fail, by their reason. */
export function measuredStarter(starter: PodStarter, metrics: Metrics): PodStarter {
  const started = metrics.counter({
    name: "orchlet_started_containers_total",
    help: "Cumulative number of containers started",
    labelNames: ["container_type"],
  });
  const errors = metrics.counter({
    name: "orchlet_started_containers_errors_total",
    help: "Cumulative number of errors when starting containers",
    labelNames: ["container_type", "code"],
  });
  return {
    ...starter,
    async startContainer(request) {
      const type = types[request.ref.kind];
      started.inc([type]);
      try {
        return await starter.startContainer(request);
      } catch (error) {
        // A start that was interrupted is no failure.
        if (!request.signal.aborted)
          errors.inc([type, error instanceof ContainerStartError ? error.reason : "RunContainerError"]);
        throw error;
      }
    },
  };
}
