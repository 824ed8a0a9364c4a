import { flagSection } from "../flag.ts";

/** The flags of the log. @param formats those that the program offers */
export const logFlagsWith = (formats: readonly string[]) =>
  flagSection("Logs", {
    "log-flush-frequency": {
      type: "duration",
      default: "5s",
      min: 1,
      help: "Maximum interval between flushes of the log.",
    },
    "logging-format": {
      type: "string",
      default: "text",
      oneOf: formats,
      help: `Format of the log: ${formats.join(" or ")}.`,
    },
    v: { type: "int", default: 0, short: "v", min: 0, help: "Verbosity: lines of this level and below are written." },
    vmodule: {
      type: "strings",
      default: [],
      validate: (items) =>
        items.every((item) => /^[^=]+=\d+$/.test(item))
          ? undefined
          : "pattern=N pairs such as garbage-collector=4,rest*=2",
      help: "Verbosity for single source files as pattern=N pairs; a pattern is a file name without its extension and may contain * and ?.",
    },
  });

/** The flags of the log of most programs, which write text only. */
export const logFlags = logFlagsWith(["text"]);
