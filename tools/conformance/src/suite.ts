import { accessSync, constants } from "node:fs";
import { join } from "node:path";

/** The programs of a built suite, by absolute path. */
export interface Suite {
  /** Runs specs side by side. */
  readonly ginkgo: string;
  /** Holds the specs. */
  readonly specs: string;
  /** The command line client in this dialect, which specs call. */
  readonly client: string;
  /** Serves and probes inside the specs' pods. */
  readonly agnhost: string;
  /** The folder that it was built in. */
  readonly folder: string;
  /** Where specs find their manifests. */
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
    folder,
    repoRoot,
  };
  const missing = [suite.ginkgo, suite.specs, suite.client, suite.agnhost].filter((path) => !isExecutable(path));
  if (missing.length > 0)
    throw new Error(
      `${JSON.stringify(folder)} holds no built suite: these programs are missing: ${missing.join(", ")}`,
    );
  return suite;
}
