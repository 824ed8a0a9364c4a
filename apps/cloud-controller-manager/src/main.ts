import { runDaemon } from "@orchernetes/component";
import { cloudControllerManager } from "./daemon.ts";

// No provider is built in. A program with one of its own passes it here.
process.exitCode = await runDaemon(cloudControllerManager({}));
