import type { AuditSink } from "@orchernetes/apiserver";

/** Passes each event to several sinks. A request waits for all of them, and is rejected if one of them returns false. */
export function unionSink(sinks: readonly AuditSink[]): AuditSink {
  const [only] = sinks;
  if (sinks.length === 1 && only !== undefined) return only;
  return {
    process(event) {
      const results = sinks.map((sink) => sink.process(event));
      if (results.every((result) => typeof result === "boolean")) return results.every((kept) => kept === true);
      return Promise.all(results).then((all) => all.every((kept) => kept));
    },
  };
}
