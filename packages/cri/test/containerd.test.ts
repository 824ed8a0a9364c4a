import { containerdUnavailable, startContainerd } from "../src/testing/index.ts";
import { describeRuntime } from "./runtime-contract.ts";

const reason = await containerdUnavailable();
if (reason !== undefined) console.warn(`containerd tests are skipped: ${reason}`);

describeRuntime("containerd", startContainerd, reason);
