export * from "./cron-job.ts";
export * from "./cron-schedule.ts";
export * from "./job.ts";
export * from "./job-selector.ts";
export * from "./resources.ts";
export * from "./types/index.ts";
