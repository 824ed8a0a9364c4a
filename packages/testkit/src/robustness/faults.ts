import { setTimeout as sleep } from "node:timers/promises";
import { assertNever } from "@orchernetes/kernel";
import { asRevision, openEtcdStore } from "@orchernetes/storage";
import { pauseProcess, slowProcess } from "../processes/disturb-process.ts";
import type { TestApiServer } from "../servers/start-api-server.ts";
import type { TcpProxy } from "../servers/tcp-proxy.ts";

/** Faults that can be injected; a round injects one. */
export type Fault =
  | "none"
  | "killServer"
  | "pauseServer"
  | "slowServer"
  | "killEtcd"
  | "pauseEtcd"
  | "slowEtcd"
  | "compact"
  | "delayNetwork"
  | "cutNetwork"
  | "holdNetwork"
  | "partition";

/** The faults that are possible with a store: those of etcd and of the network need an etcd. */
export function faultsOf(store: "embedded" | "etcd"): readonly Fault[] {
  const server = ["none", "killServer", "pauseServer", "slowServer"] as const;
  if (store === "embedded") return server;
  const etcd = ["killEtcd", "pauseEtcd", "slowEtcd", "compact"] as const;
  return [...server, ...etcd, "delayNetwork", "cutNetwork", "holdNetwork", "partition"];
}

/**
 * Injects one fault for a time, and removes it.
 *
 * @param lengthMs duration in milliseconds; a kill is followed by a restart at once
 * @throws Error if the server does not have what the fault disturbs
 */
export async function injectFault(fault: Fault, server: TestApiServer, lengthMs: number): Promise<void> {
  const { etcd, network } = server;
  switch (fault) {
    case "none":
      // As long as the other faults, so that the server ends some watches in the meantime.
      await sleep(lengthMs);
      return;
    case "killServer":
      await server.kill9();
      await server.restart();
      return;
    case "pauseServer":
      return pauseProcess(server.pid, lengthMs);
    case "slowServer":
      return slowProcess(server.pid, lengthMs);
    default:
  }
  if (etcd === undefined) throw new Error(`fault ${fault} needs etcd`);
  switch (fault) {
    case "killEtcd":
      await etcd.kill9();
      await sleep(lengthMs / 4);
      await etcd.restart();
      return;
    case "pauseEtcd":
      return pauseProcess(etcd.pid, lengthMs);
    case "slowEtcd":
      return slowProcess(etcd.pid, lengthMs);
    case "compact": {
      const store = await openEtcdStore({ servers: [etcd.url] });
      const until = performance.now() + lengthMs;
      while (performance.now() < until) {
        await store.compact(asRevision(await store.revision()));
        await sleep(lengthMs / 10);
      }
      await store.close();
      return;
    }
    default:
  }
  if (network === undefined) throw new Error(`fault ${fault} needs a network between server and etcd`);
  try {
    await disturb(fault, network, lengthMs);
  } finally {
    network.heal();
  }
}

/** Disturbs the network for a time. The caller removes the disturbance. */
async function disturb(
  fault: "delayNetwork" | "cutNetwork" | "holdNetwork" | "partition",
  network: TcpProxy,
  lengthMs: number,
): Promise<void> {
  const steps = 10;
  switch (fault) {
    case "delayNetwork":
      for (let step = 0; step < steps; step++) {
        network.delay((step % 3) * 20);
        await sleep(lengthMs / steps);
      }
      return;
    case "cutNetwork":
      for (let step = 0; step < steps; step++) {
        network.cut();
        await sleep(lengthMs / steps);
      }
      return;
    case "holdNetwork":
      network.hold();
      return sleep(lengthMs);
    case "partition":
      // First requests are executed but responses are lost; then requests are lost as well.
      network.blackhole("answers");
      await sleep(lengthMs / 2);
      network.blackhole();
      return sleep(lengthMs / 2);
    default:
      return assertNever(fault);
  }
}
