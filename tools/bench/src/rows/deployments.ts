import { freePort, startDaemon } from "@orchernetes/testkit";
import type { DeploymentLoad, DeploymentOutcome } from "../load/deployment-load.ts";
import { runLoad, targetOf } from "../load/run-load.ts";
import type { Row } from "../row.ts";

/** Pods that a real controller manager creates for deployments; no scheduler is running. */
export const deployments: Row = {
  id: "deployments",
  measures: [
    {
      id: "deployments",
      work: "20 Deployments × 100 replicas to pods",
      unit: "pods/s",
      upstream: { text: "679 pods/s", best: 679 },
      atLeast: 2000,
    },
  ],
  async run({ quick, startServer, defer, note }) {
    const server = await startServer();
    const flags = [
      `--orchconfig=${server.clientConfig}`,
      "--leader-elect=false",
      "--bind-address=127.0.0.1",
      `--secure-port=${await freePort()}`,
      `--cert-dir=${server.dir}/controller-manager`,
      "--orch-api-qps=100000",
      "--orch-api-burst=100000",
    ];
    const manager = await startDaemon({ name: "orch-controller-manager", flags, dir: server.dir });
    defer(() => manager.stop());
    const load = { target: targetOf(server), timeoutSeconds: 60 };
    try {
      const warm = { ...load, deployments: 2, replicas: 5, prefix: "warm", timeoutSeconds: 20 };
      const { pods } = await runLoad<DeploymentLoad, DeploymentOutcome>("deployment-load", warm);
      if (pods < 10) throw new Error(`${pods} of the first 10 pods were there after 20 s`);
      const size = { deployments: quick ? 5 : 20, replicas: quick ? 20 : 100 };
      const outcome = await runLoad<DeploymentLoad, DeploymentOutcome>("deployment-load", {
        ...load,
        ...size,
        prefix: "load",
      });
      const wanted = size.deployments * size.replicas;
      if (outcome.pods < wanted) throw new Error(`${outcome.pods} of ${wanted} pods were there after 60 s`);
      note("load by Node");
      return { deployments: outcome.pods / outcome.seconds };
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${manager.log(5)}`, { cause: error });
    }
  },
};
