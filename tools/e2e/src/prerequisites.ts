import { containerdUnavailable } from "@orchernetes/cri/testing";
import { etcdAvailable } from "@orchernetes/testkit";
import { findKubectl } from "./kubectl.ts";

/** A way to run the cluster. */
export interface Flavour {
  readonly store: "embedded" | "etcd";
  readonly runtime: "containerd" | "process";
}

const noContainerd = await containerdUnavailable();

/** Whether real containers can be run here. */
export const hasContainerd = noContainerd === undefined;

/** kubectl, where there is one. */
export const kubectlPath = findKubectl();

/** Why a flavour can't be tried on this machine; undefined when it can. */
export function cannotRun({ store, runtime }: Flavour): string | undefined {
  const reasons = [
    ...(kubectlPath === undefined ? ["there is no kubectl (Debian package kubernetes-client, or $KUBECTL)"] : []),
    ...(store === "etcd" && !etcdAvailable() ? ["there is no etcd (Debian package etcd-server)"] : []),
    ...(runtime === "containerd" && noContainerd !== undefined ? [noContainerd] : []),
  ];
  return reasons.length === 0 ? undefined : reasons.join("; ");
}

/** Title of a group of tests: with the reason, when it is skipped. */
export function title(what: string, flavour: Flavour): string {
  const reason = cannotRun(flavour);
  const name = `${what}: ${flavour.store} store, ${flavour.runtime} runtime`;
  if (reason === undefined) return name;
  process.stdout.write(`skipped: ${name}: ${reason}\n`);
  return `${name} (skipped: ${reason})`;
}
