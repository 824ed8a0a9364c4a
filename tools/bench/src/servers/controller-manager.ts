import { freePort, type RunningDaemon, startDaemon, type TestApiServer } from "@orchernetes/testkit";

/** Starts a controller manager for an API server, without leader election and without a limit of requests. */
export async function startControllerManager(
  server: TestApiServer,
  more: readonly string[] = [],
): Promise<RunningDaemon> {
  const flags = [...(await controllerManagerFlags(server)), ...more];
  return startDaemon({ name: "orch-controller-manager", flags, dir: server.dir });
}

/** The flags of it, which the reference's controller manager has as well. */
export async function controllerManagerFlags(server: TestApiServer): Promise<readonly string[]> {
  return [
    `--orchconfig=${server.clientConfig}`,
    "--leader-elect=false",
    "--bind-address=127.0.0.1",
    `--secure-port=${await freePort()}`,
    `--cert-dir=${server.dir}/controller-manager`,
    "--orch-api-qps=100000",
    "--orch-api-burst=100000",
  ];
}
