import { HttpConnection, type Target } from "./http-connection.ts";

/** Does a number of pieces of work, in their order, with as many connections as given; each connection does one at a time. */
export async function inParallel(
  target: Target,
  connections: number,
  count: number,
  work: (connection: HttpConnection, n: number) => Promise<void>,
): Promise<void> {
  const open = await Promise.all(Array.from({ length: connections }, () => HttpConnection.open(target)));
  let next = 0;
  try {
    await Promise.all(
      open.map(async (connection) => {
        while (next < count) await work(connection, next++);
      }),
    );
  } finally {
    for (const connection of open) connection.close();
  }
}
