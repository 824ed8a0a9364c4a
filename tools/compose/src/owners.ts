import { lchownSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { serviceFolder } from "./certificates.ts";

/** User and group of the services that run without rights, as the images name them. */
export const SERVICE_USER = 65532;

/** The node agent, the process runtime and etcd run as root. */
const UNPRIVILEGED = [
  "access",
  "metrics-server",
  "orch-apiserver",
  "orch-controller-manager",
  "orch-scheduler",
  "orch-proxy",
];

/** Lets the services without rights read their files, and the API server write its store. Only root can do this. */
export function giveToServices(dir: string): void {
  const store = join(dir, "store");
  mkdirSync(store, { recursive: true, mode: 0o700 });
  for (const folder of [store, ...UNPRIVILEGED.map((service) => serviceFolder(dir, service))]) {
    lchownSync(folder, SERVICE_USER, SERVICE_USER);
    for (const entry of readdirSync(folder, { recursive: true, encoding: "utf8" }))
      lchownSync(join(folder, entry), SERVICE_USER, SERVICE_USER);
  }
}
