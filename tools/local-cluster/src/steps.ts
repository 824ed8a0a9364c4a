/** Shows each step with the time it took. */
export type Steps = <T>(title: string, work: () => Promise<T> | T, detail?: (result: T) => string) => Promise<T>;

/** Steps that write a line each. */
export function createSteps(write: (text: string) => void, now: () => number = () => performance.now()): Steps {
  return async (title, work, detail) => {
    const started = now();
    const seconds = () => `${((now() - started) / 1000).toFixed(1)} s`.padStart(7);
    try {
      const result = await work();
      const more = detail?.(result);
      write(` ✓ ${seconds()}  ${title}${more ? `: ${more}` : ""}\n`);
      return result;
    } catch (error) {
      write(` ✗ ${seconds()}  ${title}\n`);
      throw error;
    }
  };
}
