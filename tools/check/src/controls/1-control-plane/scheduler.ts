import type { Control } from "../../control.ts";
import { flagControl, is } from "../shared/flag-control.ts";

const daemon = "orch-scheduler";

/** Section 1.4: the scheduler. */
export const scheduler: readonly Control[] = [
  flagControl({
    number: "1.4.1",
    title: "The scheduler serves no profiles",
    daemon,
    flag: "profiling",
    absent: "true",
    accept: is("false"),
    remedy: "orch-scheduler --profiling=false, or enableProfiling: false in its configuration file",
  }),
  flagControl({
    number: "1.4.2",
    title: "The scheduler listens on loopback only",
    daemon,
    flag: "bind-address",
    absent: "0.0.0.0",
    accept: is("127.0.0.1", "::1"),
    remedy: "orch-scheduler --bind-address=127.0.0.1",
  }),
];
