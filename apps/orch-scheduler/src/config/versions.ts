/** The versions of OrchSchedulerConfiguration and of plugin arguments that are read, the preferred one first. */
export const API_VERSIONS = ["orchscheduler.config.o8s.io/v1", "orchscheduler.config.o8s.io/v1beta3"] as const;

/** The warning about a version that is deprecated; undefined for others. */
export const deprecationOf = (apiVersion: string): string | undefined =>
  apiVersion === API_VERSIONS[1]
    ? "OrchSchedulerConfiguration v1beta3 is deprecated in v1.26, will be removed in v1.29"
    : undefined;
