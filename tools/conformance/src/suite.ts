import { accessSync, constants } from "node:fs";
import { join } from "node:path";

/** The programs of a built suite, by absolute path. */
export interface Suite {
  /** Runs specs in parallel. */
  readonly ginkgo: string;
  /** Contains the specs. */
  readonly specs: string;
  /** The command line client in this dialect, for specs that call one. */
  readonly client: string;
  /** Serves and probes inside the pods of specs. */
  readonly agnhost: string;
  /** The node agent of the suite's level; only runs with it need it. */
  readonly agent: string;
  /** The scheduler of the suite's level; only runs with it need it. */
  readonly scheduler: string;
  /** The folder in which the suite was built. */
  readonly folder: string;
  /** Folder in which specs find their manifests. */
  readonly repoRoot: string;
}

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/**
 * Finds the programs of the suite in the folder it was built in.
 *
 * @throws Error naming every program that is missing
 */
export function openSuite(folder: string): Suite {
  const repoRoot = join(folder, "k8s");
  const bin = join(repoRoot, "_output/bin");
  const suite: Suite = {
    ginkgo: join(bin, "ginkgo"),
    specs: join(bin, "e2e.test"),
    client: join(bin, "kubectl"),
    agnhost: join(folder, "agnhost"),
    agent: join(bin, "kubelet"),
    scheduler: join(bin, "kube-scheduler"),
    folder,
    repoRoot,
  };
  const missing = [suite.ginkgo, suite.specs, suite.client, suite.agnhost].filter((path) => !isExecutable(path));
  if (missing.length > 0)
    throw new Error(`${JSON.stringify(folder)} contains no built suite; missing programs: ${missing.join(", ")}`);
  return suite;
}
