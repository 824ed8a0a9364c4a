import { hasContainerd } from "../src/prerequisites.ts";
import { describeCluster } from "../src/shared-cluster.ts";
import { autoscalingSuite, beginAutoscaling } from "./suites/autoscaling.ts";
import { crashSuite } from "./suites/crash.ts";
import { customResourcesSuite } from "./suites/custom-resources.ts";
import { defaultProfileSuite, upAndDownSuite } from "./suites/local-cluster.ts";
import { volumesSuite } from "./suites/volumes.ts";
import { workloadSuite } from "./suites/workload.ts";

const options = { store: "embedded", runtime: "process", nodes: 2, metrics: !hasContainerd } as const;
describeCluster("two nodes", options, (shared) => {
  defaultProfileSuite(shared);
  // Elsewhere they run with containers.
  const scaling = hasContainerd ? undefined : beginAutoscaling(shared);
  workloadSuite(shared);
  volumesSuite(shared);
  customResourcesSuite(shared);
  if (scaling !== undefined) {
    autoscalingSuite(shared, scaling);
    crashSuite(shared);
  }
  upAndDownSuite(shared);
});
