import { runDaemon } from "@orchernetes/component";
import { completeConfig } from "./config.ts";
import { orchControllerManagerFlags } from "./flags/index.ts";
import { runServer } from "./server.ts";

/** Runs the daemon until it receives SIGTERM or SIGINT. @returns the exit code of the process */
export function run(): Promise<number> {
  return runDaemon({
    name: "orch-controller-manager",
    description:
      "Runs the control loops of the cluster: each watches the shared state through the API server and moves the current state towards the desired one.",
    flags: orchControllerManagerFlags,
    configure: completeConfig,
    run: runServer,
  });
}
