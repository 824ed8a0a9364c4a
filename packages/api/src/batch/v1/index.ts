import { resourceDefinitions } from "@orchernetes/apimachinery";
import { cronJobs } from "./cron-job.ts";
import { jobs } from "./job.ts";

export * from "./cron-job.ts";
export * from "./cron-schedule.ts";
export * from "./job.ts";
export * from "./job-selector.ts";
export * from "./types.ts";

/** Resources of `batch/v1`. */
export const batchV1 = resourceDefinitions(cronJobs, jobs);
