import { runDaemon } from "@orchernetes/component";
import { completeConfig } from "./config.ts";
import { schedulerFlags } from "./flags/index.ts";
import { runServer } from "./server.ts";

process.exitCode = await runDaemon({
  name: "orch-scheduler",
  description: "Watches for pods without a node and binds each to the node that suits it best.",
  flags: schedulerFlags,
  run: (flags, context) => runServer(completeConfig(flags), context),
});
