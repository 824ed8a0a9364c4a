import type { Daemon } from "@orchernetes/component";
import { type Config, completeConfig } from "./config.ts";
import { metricsServerFlags } from "./flags/index.ts";
import { runServer } from "./server.ts";

/** The daemon. */
export const metricsServer: Daemon<typeof metricsServerFlags, Config> = {
  name: "metrics-server",
  description:
    "Serves the metrics API: what nodes and pods use of CPU and memory. It reads the counters of the node agents and keeps the latest figures in memory.",
  flags: metricsServerFlags,
  configure: completeConfig,
  run: runServer,
};
