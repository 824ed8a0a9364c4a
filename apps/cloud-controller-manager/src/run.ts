import { runDaemon } from "@orchernetes/component";
import { cloudControllerManager } from "./daemon.ts";

/** Runs the daemon until it is told to stop; the process's exit code. */
export function run(): Promise<number> {
  // No provider is built in. A program with one of its own passes it here.
  return runDaemon(cloudControllerManager({}));
}
