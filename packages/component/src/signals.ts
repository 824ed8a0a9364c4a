/** The end of a process as one signal. */
export interface RootSignal {
  /** Aborted by the first SIGTERM or SIGINT. */
  readonly signal: AbortSignal;
  /** Removes the handlers. */
  dispose(): void;
}

/** Delivers signals: the process, or a substitute in tests. */
export interface SignalSource {
  on(name: "SIGTERM" | "SIGINT", listener: () => void): unknown;
  off(name: "SIGTERM" | "SIGINT", listener: () => void): unknown;
}

/**
 * The root signal of a daemon: the first SIGTERM or SIGINT aborts it, the second ends the process immediately with code
 * 1.
 * @param exit ends the process
 */
export function rootSignal(source: SignalSource = process, exit: (code: number) => void = process.exit): RootSignal {
  const controller = new AbortController();
  const listener = () => {
    if (controller.signal.aborted) exit(1);
    else controller.abort(new Error("the process received a signal to stop"));
  };
  source.on("SIGTERM", listener);
  source.on("SIGINT", listener);
  return {
    signal: controller.signal,
    dispose() {
      source.off("SIGTERM", listener);
      source.off("SIGINT", listener);
    },
  };
}
