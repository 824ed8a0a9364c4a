import { HttpConnection, type Target, writeRequest } from "./http-connection.ts";
import { loadProgram } from "./load-program.ts";
import { collectionPath, type ObjectKind, objectJson } from "./objects.ts";

/** Creates a number of objects over several connections. */
export interface CreateLoad {
  readonly target: Target;
  readonly kind: ObjectKind;
  readonly connections: number;
  readonly padBytes: number;
  /** The start of all names. */
  readonly prefix: string;
  readonly count: number;
}

/** The result. */
export interface CreateOutcome {
  readonly created: number;
  readonly seconds: number;
}

await loadProgram<CreateLoad>(async ({ target, kind, connections, padBytes, prefix, count }) => {
  const open = await Promise.all(Array.from({ length: connections }, () => HttpConnection.open(target)));
  const path = collectionPath(kind);
  let next = 0;
  const started = performance.now();
  let created = 0;
  await Promise.all(
    open.map(async (connection) => {
      while (next < count) {
        const n = next++;
        const request = writeRequest(target, "POST", path, objectJson(kind, `${prefix}-${n}`, n, padBytes));
        const { status } = await connection.send(request);
        if (status !== 201) throw new Error(`creating ${kind} ${prefix}-${n}: status ${status}, 201 is expected`);
        created++;
      }
    }),
  );
  const took = (performance.now() - started) / 1000;
  for (const connection of open) connection.close();
  return { created, seconds: took } satisfies CreateOutcome;
});
