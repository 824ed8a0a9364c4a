import { getRequest, HttpConnection, type Target, writeRequest } from "./http-connection.ts";
import { loadProgram } from "./load-program.ts";
import { collectionPath, objectJson } from "./objects.ts";
import { openWatch } from "./watch-stream.ts";

/** Creates pending pods and waits until each is bound to a node. */
export interface BindLoad {
  readonly target: Target;
  readonly pods: number;
  readonly connections: number;
  readonly prefix: string;
  readonly timeoutSeconds: number;
}

/** The result; seconds from the first create to the last binding. */
export interface BindOutcome {
  readonly bound: number;
  readonly seconds: number;
}

await loadProgram<BindLoad>(async ({ target, pods, connections, prefix, timeoutSeconds }) => {
  const path = collectionPath("pending-pod");
  const open = await Promise.all(Array.from({ length: connections }, () => HttpConnection.open(target)));
  const [first] = open;
  if (first === undefined) throw new Error("at least one connection is needed");
  const list = await first.send(getRequest(target, `${path}?limit=1`), true);
  const { resourceVersion } = (JSON.parse(list.body) as { metadata: { resourceVersion: string } }).metadata;
  const bound = new Set<string>();
  let last = 0;
  let complete: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    complete = resolve;
  });
  let text = "";
  const ofPod = new RegExp(`"name":"(${prefix}-\\d+)"`);
  await openWatch(target, `${path}?watch=1&resourceVersion=${resourceVersion}`, (data) => {
    text += data.toString("latin1");
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.includes('"nodeName":"')) continue;
      const name = ofPod.exec(line)?.[1];
      if (name === undefined || bound.has(name)) continue;
      bound.add(name);
      last = performance.now();
      if (bound.size === pods) complete();
    }
  });
  const started = performance.now();
  let next = 0;
  await Promise.all(
    open.map(async (connection) => {
      while (next < pods) {
        const n = next++;
        const body = objectJson("pending-pod", `${prefix}-${n}`, n, 0);
        const { status } = await connection.send(writeRequest(target, "POST", path, body));
        if (status !== 201) throw new Error(`creating Pod ${prefix}-${n}: status ${status}, 201 is expected`);
      }
    }),
  );
  const timeout = setTimeout(complete, timeoutSeconds * 1000);
  await all;
  clearTimeout(timeout);
  return { bound: bound.size, seconds: (last - started) / 1000 } satisfies BindOutcome;
});
