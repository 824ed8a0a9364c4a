import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { erase } from "../../meta/erase.ts";
import { cronJobs } from "./cron-job.ts";
import { jobs } from "./job.ts";

/** Resources of `batch/v1`. */
export const batchV1: readonly ResourceDefinition[] = [erase(cronJobs), erase(jobs)];
