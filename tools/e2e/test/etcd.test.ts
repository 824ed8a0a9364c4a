import { hasContainerd } from "../src/prerequisites.ts";
import { describeCluster } from "../src/shared-cluster.ts";
import { crashSuite } from "./suites/crash.ts";
import { workloadSuite } from "./suites/workload.ts";

describeCluster("a node", { store: "etcd", runtime: hasContainerd ? "containerd" : "process" }, (shared) => {
  workloadSuite(shared);
  crashSuite(shared);
});
