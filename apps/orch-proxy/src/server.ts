import type { ClientConfig } from "@orchernetes/client";
import type { DaemonContext } from "@orchernetes/component";
import { assertNever } from "@orchernetes/kernel";
import { cleanUp } from "./cleanup.ts";
import type { Config } from "./config.ts";
import { startDns } from "./dns/start-dns.ts";
import { type KeptPort, keepListening, untilAborted } from "./health/keep-listening.ts";
import { metricsRoutes } from "./health/metrics-routes.ts";
import { hostParameters } from "./host/kernel-parameters.ts";
import { adjustOomScore } from "./host/oom-score.ts";
import { chooseMode, type Mode } from "./nft/choose-mode.ts";
import { packetFilter } from "./nft/packet-filter.ts";
import { startPolicies } from "./policy/start-policies.ts";
import { createProxyHost, type ProxyHost } from "./proxy-host.ts";
import { startServices } from "./services/start-services.ts";
import { endOnOtherFile } from "./watched-file.ts";
import { configurationDocument, writeConfiguration } from "./write-configuration.ts";

/**
 * Does what the command line asks for: writes the configuration, removes what a daemon has left, or serves until the signal
 * aborts.
 *
 * @throws ConfigurationError when a port cannot be listened on, with `bindAddressHardFail`
 * @throws Error when the daemon must be started again, because its configuration file or its node has changed
 */
export async function runServer(config: Config, context: DaemonContext): Promise<void> {
  const { task, settings, warnings } = config;
  const { logger } = context;
  for (const warning of warnings) logger.warn(warning);
  switch (task.type) {
    case "WriteConfiguration":
      await writeConfiguration(task.path, settings);
      return logger.info("Wrote the configuration", { file: task.path });
    case "CleanUp":
      return cleanUp(settings, { filter: packetFilter(), parameters: hostParameters, logger });
    case "Serve":
      return serve(config, task.client, context);
    default:
      assertNever(task);
  }
}

async function serve(config: Config, connection: ClientConfig, context: DaemonContext): Promise<void> {
  const { logger } = context;
  const { settings, nodeName } = config;
  const stopping = new AbortController();
  const signal = AbortSignal.any([stopping.signal, context.signal]);
  const filter = packetFilter();
  await adjustOomScore(settings.oomScoreAdj, logger);
  const mode = await chooseMode(settings.mode, filter, logger);
  const host = createProxyHost(config, connection, { logger, signal, end: (error) => stopping.abort(error) });
  if (config.file !== undefined) endOnOtherFile(config.file, host);
  const ends: (() => Promise<void>)[] = [];
  try {
    for (const port of portsOf(host, mode)) ends.push(await keepListening(port, signal));
    ends.push(await startDns(host, mode));
    logger.info("Starting", { node: nodeName, mode });
    host.nodeEvents.starting();
    host.informers.run(signal);
    const policies = await startPolicies(host, mode, filter);
    ends.push(() => policies.stop());
    const services = await startServices(host, mode, filter);
    ends.push(() => services.stop());
    await untilAborted(signal);
    stopping.signal.throwIfAborted();
  } catch (error) {
    if (!context.signal.aborted) throw error;
  } finally {
    stopping.abort();
    await Promise.all(ends.map((end) => end()));
    host.client.close();
  }
}

/** The health checks and the metrics, unless they are disabled. */
function portsOf({ config, clock, logger, metrics, health, nodeEvents }: ProxyHost, mode: Mode): readonly KeptPort[] {
  const { settings, healthz } = config;
  const shared = { isRequired: settings.bindAddressHardFail, clock, logger };
  const pages = {
    metrics,
    mode,
    configuration: configurationDocument(settings),
    profiling: settings.enableProfiling,
    logger,
  };
  return [
    ...(healthz === undefined
      ? []
      : [
          {
            ...shared,
            name: "health checks",
            address: healthz,
            handler: health.handle,
            failed: (error: unknown) => nodeEvents.healthCheckFailed(`${healthz.host}:${healthz.port}`, error),
          },
        ]),
    ...(config.metrics === undefined
      ? []
      : [{ ...shared, name: "metrics", address: config.metrics, handler: metricsRoutes(pages) }]),
  ];
}
