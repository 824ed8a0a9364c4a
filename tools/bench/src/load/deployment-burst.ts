import type { TestApiServer } from "@orchernetes/testkit";
import type { DeploymentLoad, DeploymentOutcome } from "./deployment-load.ts";
import { runLoad, targetOf } from "./run-load.ts";

/** Deployments that are created at once. */
export interface Burst {
  readonly deployments: number;
  readonly replicas: number;
}

/** The burst that figures are given of. */
export const burstOf = (quick: boolean): Burst => ({ deployments: quick ? 5 : 20, replicas: quick ? 20 : 100 });

/** @returns pods per second, from the first request to the last pod @throws Error if pods are missing after 60 s */
export async function burst(server: TestApiServer, size: Burst, prefix: string): Promise<number> {
  const load: DeploymentLoad = { target: targetOf(server), ...size, prefix, timeoutSeconds: 60 };
  const { pods, seconds } = await runLoad<DeploymentLoad, DeploymentOutcome>("deployment-load", load);
  const wanted = size.deployments * size.replicas;
  if (pods < wanted) throw new Error(`${pods} of ${wanted} pods were there after 60 s`);
  return pods / seconds;
}

/** Waits until a controller manager works. @throws Error if it makes no pods */
export const untilWorking = (server: TestApiServer, prefix: string): Promise<number> =>
  burst(server, { deployments: 2, replicas: 5 }, prefix);
