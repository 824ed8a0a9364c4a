export * from "./common.ts";
export * from "./cron-job.ts";
export * from "./job.ts";
