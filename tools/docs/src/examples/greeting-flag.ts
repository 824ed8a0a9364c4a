import { flagSection } from "@orchernetes/component";

/** A section of a daemon's flag table; `apps/<daemon>/src/flags/index.ts` spreads it into the table. */
export const greetingFlags = flagSection("Greeting", {
  "greeting-interval": {
    type: "duration",
    default: "1m",
    min: 1000,
    help: "Interval between two greetings in the log.",
  },
});
